"""The step that makes a Python virtual environment."""

from bootstrap.model import EVERY, Purpose, Step


def venv(  # noqa: PLR0913 - the parts of one sentence: "NAME is FOLDER with REQUIREMENTS and PROJECT in it"
    name: str,
    folder: str,
    requirements: str,
    project: str,
    *,
    environment: str = "",
    each: str = "",
    purposes: frozenset[Purpose] = EVERY,
    also: tuple[str, ...] = (),
) -> Step:
    """Describe a virtual environment: exactly what the lock file says, and the project itself, editable."""
    python = f"{folder}/bin/python"
    return Step(
        name=name,
        says=f"Python packages of {requirements}",
        commands=(
            ("{uv}", "venv", "--allow-existing", "--python", "{python}", folder),
            ("{uv}", "pip", "sync", "--python", python, "--require-hashes", requirements),
            ("{uv}", "pip", "install", "--python", python, "--no-deps", "--editable", project),
        ),
        inputs=(requirements, f"{project}/pyproject.toml", *also),
        makes=folder,
        proof=python,
        environment=environment,
        each=each,
        purposes=purposes,
    )
