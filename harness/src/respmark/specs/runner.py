"""Runner specs: how to start the program that drives a language's clients."""

from itertools import chain
from pathlib import Path
from typing import Literal

from pydantic import Field

from respmark.contract.base import Message, PositiveCount, Seconds
from respmark.paths import ROOT
from respmark.specs.client import Client, DifferenceSpec, written
from respmark.specs.setup import ChecksSpec, EnvironmentSpec, SetupSpec


class MicroSpec(Message):
    """A language's micro-benchmarks: the program that runs them, and what it leaves."""

    tool: Literal["jmh", "benchmarkdotnet"]
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


class RunnerSpec(Message):
    """A runner, as `<language>/runner.toml` gives it, whose folder names it."""

    name: str
    language: str
    contract: Literal[3] = 3
    """Version of the contract that it keeps."""
    runtime: str = ""
    """Name of its runtime among the versions that it says it loaded."""
    command: tuple[str, ...]
    """Program and arguments; paths are relative to the checkout. `{client}` is filled in: the library,
    with its version if that is named."""
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
    compilers: tuple[str, ...] = ()
    """Names of the threads that compile while its clients work, as the kernel shows them (15 characters)."""
    differs: tuple[DifferenceSpec, ...] = ()
    """In what the runtime of its clients is not as installed."""
    micro: MicroSpec | None = None
    """Its micro-benchmarks, if the language has any."""
    setup: SetupSpec | None = None
    """How it and its clients are set up; None: they are there."""
    checks: ChecksSpec | None = None
    """Its tests and linters."""

    @property
    def environment(self) -> EnvironmentSpec:
        """Return how the environment of one of its clients is made."""
        return self.setup.client if self.setup else EnvironmentSpec(makes=".")

    def command_for(self, client: Client, root: Path = ROOT) -> list[str]:
        """Return the command that starts a client; `root` is where the checkout's layout lies, also in an image."""
        settled = (self.started_with.get(name, {}).get(written(value), ()) for name, value in client.options.items())
        filled = [word.format(client=client.installation) for word in self.command]
        return [*chain.from_iterable(settled), *(_rooted(word, root) for word in filled)]


def _rooted(word: str, root: Path = ROOT) -> str:
    return str(root / word) if "/" in word and not Path(word).is_absolute() else word
