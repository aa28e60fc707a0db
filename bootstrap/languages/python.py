"""Python: one virtual environment for the runner as installed, one for each pinned version, one for its tests."""

from bootstrap.languages.venv import venv
from bootstrap.model import DEVELOPMENT, SIDE_BY_SIDE, Check, Language

PYTHON = Language(
    name="python",
    needs=(),
    steps=(
        venv("python-default", ".build/python/default", "python/requirements.txt", "python"),
        venv(
            "python-{name}",
            ".build/python/{name}",
            "{file}",
            "python",
            each="python/environments/*.txt",
            environment="{name}",
        ),
        venv(
            "python-dev",
            ".build/python/dev",
            "python/requirements-dev.txt",
            "python",
            environment="dev",
            purposes=DEVELOPMENT,
        ),
    ),
    tests=Check("python", (".build/python/dev/bin/python", "-m", "pytest", *SIDE_BY_SIDE, "python/tests")),
    lints=(
        Check("python: ruff format", ("../.build/python/dev/bin/ruff", "format", "--check", "."), "python"),
        Check("python: ruff check", ("../.build/python/dev/bin/ruff", "check", "."), "python"),
        Check("python: mypy", ("../.build/python/dev/bin/python", "-m", "mypy"), "python"),
    ),
    development="dev",
)
