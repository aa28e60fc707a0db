"""The agent of a host: starts runners there, gives them their lines at the right time, and reads the host's counters.

It knows nothing of what carries the calls: whoever can make an object on another host and call it can use it. Every
argument and result is plain data that can be pickled, and no error leaves it but as data.
"""

import platform
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from respmark import __version__
from respmark.contract.lines import Work
from respmark.errors import NothingRanError, RespmarkError, RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.machine.description import Machine, this_machine
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.kernel import MachineCpu, machine_cpu, threads_cpu_ns
from respmark.machine.limits import allow_many_connections
from respmark.machine.lock import check_free, lock_path, only_run
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import HostLoad, Runner, TrialRequest
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client

BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
"""Differs on every machine, and after every start of one."""
FAILURES: Final = {one.__name__: one for one in (UnsupportedError, RunnerFailedError, RunnerMissingError)}
"""Errors that mean here what they mean there; any other is the agent's own."""


@dataclass(frozen=True)
class HostFacts:
    """What a host says of itself."""

    name: str
    """As the host calls itself."""
    machine_id: str
    """The same for two agents on one machine."""
    machine: Machine
    respmark_version: str
    python: str


@dataclass(frozen=True)
class Counters:
    """The kernel's counts for one runner, at one moment."""

    cpu_ns: int | None
    threads_ns: dict[int, int] | None
    compiling_ns: int | None


@dataclass(frozen=True)
class Failure:
    """An error of a call."""

    kind: str
    words: str
    code: int | None = None
    stderr: tuple[str, ...] = ()


@dataclass(frozen=True)
class AgentReply:
    """The result of a call, and the host's clock when it was made."""

    value: Any = None
    failure: Failure | None = None
    at_ns: int = 0
    counters: Counters | None = None
    """Of the runner that was called, right after the call."""
    load: HostLoad | None = None
    """Of the host, while a slice lasted; None: it was another call, or the kernel does not say."""


@dataclass(frozen=True)
class _Watch:
    """A look at the host's processors, and at a runner there."""

    at_ns: int
    machine: MachineCpu | None
    own_ns: int | None

    @classmethod
    def of(cls, runner: Runner) -> Self:
        return cls(time.monotonic_ns(), machine_cpu(), runner.cpu_ns())

    def until(self, now: Self) -> HostLoad | None:
        if self.machine is None or now.machine is None or self.own_ns is None or now.own_ns is None:
            return None
        busy_ns = now.machine.since(self.machine).busy_ns
        return HostLoad(now.at_ns - self.at_ns, busy_ns, max(0, now.own_ns - self.own_ns))


def machine_id() -> str:
    """Return what tells this machine from every other one."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()


def why_not_now() -> str | None:
    """Return why no run can begin on this machine now; None if one can."""
    try:
        check_free(lock_path())
    except NothingRanError as error:
        return str(error)
    return None


class Agent:
    """What a run has on a host; it ends what it started when it is closed, or when its process ends."""

    def __init__(self, *, takes_lock: bool) -> None:
        """Open it; one agent of each machine takes the machine's lock, unless the command itself has it.

        Raises NothingRanError if another run is measuring on this host.
        """
        self._stack = ExitStack()
        if takes_lock:
            self._stack.enter_context(only_run(lock_path()))
        allow_many_connections()
        catalogue = Catalogue()
        guardian = Guardian()
        self._stack.callback(guardian.close)
        self._folder = self._stack.enter_context(guarded_folder(guardian))
        self._executor = self._stack.enter_context(LocalExecutor(catalogue.runners, catalogue.every_client, guardian))
        self._runners: dict[int, Runner] = {}
        self._ordered: dict[int, threading.Thread] = {}
        self._watches: dict[int, _Watch] = {}

    def __del__(self) -> None:
        """End what is left when whatever carries the calls lets go of it, because the command is gone.

        Threads that read from runners would keep those, and the guardian, for ever.
        """
        self._stack.close()

    def facts(self) -> AgentReply:
        """Return what the host says of itself."""
        facts = HostFacts(socket.gethostname(), machine_id(), this_machine(), __version__, platform.python_version())
        return _answered(lambda: facts)

    def clock(self) -> AgentReply:
        """Return the host's clock."""
        return _answered(lambda: None)

    def threads_ns(self, process: int) -> AgentReply:
        """Return the CPU time of each thread of the server's process; None if there is none."""
        return _answered(lambda: threads_cpu_ns(process))

    def has(self, name: str) -> AgentReply:
        """Return whether a file is here; `name` begins with its hash."""
        return _answered((self._folder / name).is_file)

    def put(self, name: str, content: bytes) -> AgentReply:
        """Write a file."""

        def write() -> None:
            part = self._folder / f"{name}.part"
            part.write_bytes(content)
            part.rename(self._folder / name)

        return _answered(write)

    def missing(self, client: Client) -> AgentReply:
        """Return why a client cannot be started here; None if it can."""
        return _answered(lambda: self._executor.missing(client))

    def start(self, number: int, trial: TrialRequest) -> AgentReply:
        """Start a runner, which has this number from now on; the trial's workload is the name of a file here."""

        def start() -> None:
            self._runners[number] = self._executor.start(self._here(trial))

        return _answered(start)

    def give(self, number: int, trial: TrialRequest) -> AgentReply:
        """Give a runner another trial."""
        return _answered(lambda: self._runners[number].give(self._here(trial)))

    def work(self, number: int, work: Work, at_ns: int | None) -> AgentReply:
        """Let a runner work for a slice that begins at a moment of this host's clock; None: now."""
        if work.arrivals is not None:
            arrivals = work.arrivals.model_copy(update={"file": str(self._folder / work.arrivals.file)})
            work = work.model_copy(update={"arrivals": arrivals})
        runner = self._runners[number]
        self._watches[number] = _Watch.of(runner)
        if at_ns is None:
            return _answered(lambda: runner.work(work))
        # In a thread of its own: the other runners of this host begin at the same moment.
        ordered = self._ordered[number] = threading.Thread(target=_work_at, args=(runner, work, at_ns), daemon=True)
        ordered.start()
        return _answered(lambda: None)

    def worked(self, number: int, limit_s: float) -> AgentReply:
        """Wait until a runner's slice is over; then take over its latencies, if it has little room left."""
        if (ordered := self._ordered.pop(number, None)) is not None:
            ordered.join()
        found = self.call(number, "worked", limit_s)
        if found.failure is None:
            runner = self._runners[number]
            found = replace(found, load=self._watches[number].until(_Watch.of(runner)))
            return replace(found, failure=_answered(lambda: runner.collect(limit_s)).failure)
        return found

    def call(self, number: int, method: str, *arguments: Any) -> AgentReply:  # noqa: ANN401 - each has its own types
        """Call any other method of a runner (`respmark.runners.protocol.Runner`)."""
        runner = self._runners[number]
        found = _answered(lambda: getattr(runner, method)(*arguments))
        return replace(found, counters=Counters(runner.cpu_ns(), runner.threads_ns(), runner.compiling_ns()))

    def forget(self, number: int) -> AgentReply:
        """End a runner, if it is still running."""
        runner = self._runners.pop(number, None)
        return _answered(lambda: None if runner is None else runner.kill())

    def close(self) -> AgentReply:
        """End everything that was started here, and remove every file."""
        return _answered(self._stack.close)

    def _here(self, trial: TrialRequest) -> TrialRequest:
        return replace(trial, workload=self._folder / trial.workload)


def _work_at(runner: Runner, work: Work, at_ns: int) -> None:
    time.sleep(max(0, at_ns - time.monotonic_ns()) / 1e9)
    runner.work(work)


def _answered(call: Callable[[], Any]) -> AgentReply:
    """Return what a call returns, or what it raised, with the clock in between."""
    try:
        value = call()
    except RunnerFailedError as error:
        failure = Failure(type(error).__name__, str(error), error.runner_exit_code, tuple(error.stderr))
        return AgentReply(failure=failure, at_ns=time.monotonic_ns())
    except (RespmarkError, OSError) as error:
        return AgentReply(failure=Failure(type(error).__name__, str(error)), at_ns=time.monotonic_ns())
    return AgentReply(value, at_ns=time.monotonic_ns())
