"""Runner specs: how to start the program that drives a language's clients."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from respmark.contract.base import Message, PositiveCount, Seconds
from respmark.errors import InvalidRequestError
from respmark.paths import ROOT
from respmark.specs.client import Client, OptionValue, written


class MicroSpec(Message):
    """A language's micro-benchmarks: the program that runs them, and what it leaves."""

    tool: Literal["jmh", "benchmarkdotnet"]
    command: tuple[str, ...]
    """Program and arguments; `{host}`, `{port}`, `{job}` and `{out}` (a folder) are filled in."""
    forks: tuple[str, ...] = ()
    """What `--forks` adds, with `{forks}`; empty: it has no such setting."""
    filter: tuple[str, ...] = ()
    """What `--filter` adds, with `{filter}`; empty: it has no such setting."""
    results: str
    """Pattern of the result files in `{out}`."""
    failures: str | None = None
    """File in `{out}` that lists benchmarks that failed, where the tool's own leaves them out."""
    advice: str
    """What to do when it is missing."""

    def command_for(self, host: str, port: int, password_file: Path, job: str, out: Path) -> list[str]:
        """Return the command without the optional settings; a password among them would show in the process list."""
        names = {"host": host, "port": str(port), "password_file": str(password_file), "job": job, "out": str(out)}
        return _filled(self.command, **names)


class RunnerSpec(Message):
    """A runner, as `specs/runners/*.toml` gives it."""

    name: str
    language: str
    command: tuple[str, ...]
    """Program and arguments; paths are relative to the checkout, `{environment}` is filled in."""
    bare: tuple[str, ...]
    """The same for its hand-written bare loops; `{library}` and `{module}` (with underscores) are filled in."""
    advice: str
    """What to do when it is missing."""
    started_with: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    """By option of a client and its value, as names have them: words before the command."""
    memory_mib: PositiveCount = 256
    """What one process takes with a workload of a million commands, connections and samples."""
    start_s: Seconds = 0.5
    """What a trial takes to start, connect, verify and end, with others starting beside it."""
    warm_up_s: Seconds = 1.0
    """What its clients work before they are steady; eight slices of 0.1 s are looked at."""
    compilers: tuple[str, ...] = ()
    """Names of the threads that compile while its clients work, as the kernel has them (15 characters)."""
    micro: MicroSpec | None = None
    """Its micro-benchmarks, where the language has some."""

    def command_for(self, client: Client, root: Path = ROOT) -> list[str]:
        """Return the command that starts a client; `root`: where the checkout's layout lies, elsewhere in an image."""
        before = [word for name, value in client.options.items() for word in self._before(name, value)]
        filled = [word.format(environment=client.environment) for word in self.command]
        return [*before, *(_rooted(word, root) for word in filled)]

    def _before(self, name: str, value: OptionValue) -> tuple[str, ...]:
        return self.started_with.get(name, {}).get(written(value), ())

    def bare_for(self, environment: str, library: str) -> list[str]:
        """Return the command of the bare loops of one library.

        Raises:
            InvalidRequestError: the runner has none with a pinned version.
        """
        if environment != "default" and not any("{environment}" in word for word in self.bare):
            message = f"{environment} has no bare loop in {self.language}: give one with --bare"
            raise InvalidRequestError(message)
        return _filled(self.bare, environment=environment, library=library, module=library.replace("-", "_"))


def _filled(command: tuple[str, ...], **names: str) -> list[str]:
    return [_rooted(word.format(**names)) for word in command]


def _rooted(word: str, root: Path = ROOT) -> str:
    return str(root / word) if "/" in word and not Path(word).is_absolute() else word
