"""How a language is set up: the table [setup] of its `runner.toml`, and of a client that comes another way.

Paths are relative to the checkout. In a client's commands, these are filled in: `{library}`, `{client}` (the library,
with a version where one is named), `{package}`, `{version}`, `{adapter}`, `{path}` (of a build of one's own),
`{folder}` (the client's), `{lock}` and `{python}` (the one that runs respmark).
"""

from respmark.contract.base import Message


class WheelSpec(Message):
    """Tools in a Python wheel, unpacked into `.build/<folder>`."""

    pins: str
    """File with the wheel's version and hashes."""
    folder: str
    commands: dict[str, str]
    """Each command's name, and where in the wheel it is."""


class NeedSpec(Message):
    """Commands that must be on the machine and belong together, and the ways to install them if they are not."""

    commands: tuple[str, ...]
    """All must be there; the version required is that of the first."""
    minimum: tuple[int, ...]
    packages: tuple[str, ...]
    """The Debian packages that provide them; the version that is checked is that of the first."""
    advice: str
    """What the user can do if neither way is open: where its makers say how to install it."""
    wheel: WheelSpec | None = None
    """Tried before the Debian packages: it needs no rights, and its version is known."""
    package_minimum: tuple[int, ...] = ()
    """The minimum as Debian numbers the first package, if the command numbers itself differently."""


class PackagesSpec(Message):
    """Debian packages that a step needs."""

    names: tuple[str, ...]
    check: str
    """A command that succeeds if what they provide is there, whoever installed it."""
    lacking: str
    """What is said if it does not."""
    advice: str
    """What the user can do where the system has no such packages."""


class OwnSetupSpec(Message):
    """How a client is set up that does not come from the language's registry."""

    commands: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    """Globs: it is made anew when the contents of these files change."""
    proof: str = ""
    """A path that exists when it is made; default: everything that it makes."""
    packages: PackagesSpec | None = None
    """Looked for, and installed if that is allowed, before anything is made."""


class StepSpec(OwnSetupSpec):
    """Something to make, and the commands that make it."""

    name: str
    """Names its log and its stamp."""
    says: str
    """Names what is made; shown when the step begins, so it must not claim success."""
    makes: str
    """What belongs to this step alone: removed first if the step was interrupted."""
    folder: str = "."
    """Where the commands run."""
    variables: tuple[str, ...] = ()
    """The user's environment variables that its commands read: the step is repeated when one changes."""
    state: str = ""
    """Of what else it is made of: the step is repeated when it changes."""

    @property
    def evidence(self) -> str:
        """Return the path that exists when the step is done."""
        return self.proof or self.makes


class ResolvedSpec(Message):
    """Where an environment's packages and their versions stand."""

    files: str
    """Glob."""
    pattern: str
    """Finds `name` and `version`, in the files' names and contents."""


class EnvironmentSpec(Message):
    """How the environment of one client in one version is made; fields of the same name are as in a step."""

    makes: str
    proof: str = ""
    folder: str = "."
    inputs: tuple[str, ...] = ()
    packages: PackagesSpec | None = None
    variables: tuple[str, ...] = ()
    lock: str = ""
    """The lock file of the version that is installed where none is named; an input."""
    version_lock: str = ""
    """The lock file of a pinned version."""
    locked: tuple[str, ...] = ()
    """Commands where there is a lock file; in other cases the version's own."""
    version: tuple[str, ...] = ()
    """Commands for any version of the registry; none: there are only the pinned ones."""
    file: tuple[str, ...] = ()
    """Commands for a build of one's own; none: it cannot be had."""
    file_is: str = "the folder of its sources"
    """What `file:` names, in words."""
    resolved: ResolvedSpec | None = None


class SetupSpec(Message):
    """All that set-up knows about a language."""

    needs: tuple[NeedSpec, ...] = ()
    steps: tuple[StepSpec, ...] = ()
    """What its runner is built with, for every client."""
    client: EnvironmentSpec
    dev: tuple[StepSpec, ...] = ()
    """What only tests and linters need."""
    micro: tuple[StepSpec, ...] = ()
    """What only micro-benchmarks need."""


class AuditSpec(Message):
    """Checks dependencies against a database of known vulnerabilities."""

    command: str
    none: str
    """Pattern of what it prints if it knows of nothing."""
    asked: str = ""
    """Pattern of what it prints if it has asked a database, for a command that says the same without asking."""


class ChecksSpec(Message):
    """A language's tests and linters; commands run in its folder and exit with 0 if, and only if, all was well."""

    tests: str
    lints: dict[str, str]
    audit: AuditSpec
