"""A trial's processes, from their start to their end; it knows no kind of trial."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from respmark.contract.lines import Loaded, Work, Worked
from respmark.errors import RunnerFailedError, UnsupportedError
from respmark.machine.kernel import together_ns
from respmark.machine.sockets import Sockets, together
from respmark.plan.plan import Trial
from respmark.results.records import Handshake, Status
from respmark.run.connecting import mismatched_key, observed
from respmark.run.label import protocol_mismatch, version_mismatch
from respmark.run.outcome import Outcome
from respmark.run.testbed import ServerInUse, Testbed, WorkloadFile
from respmark.runners.protocol import Latencies, OnHost
from respmark.runners.runner import Runner
from respmark.specs.naming import protocol_of
from respmark.specs.scenario import commands_per_unit
from respmark.workload.replies import decoded_to, wrong_reply
from respmark.workload.workload import first_commands

Value = TypeVar("Value")

START_LIMIT_S: Final = 60.0
"""For loading, for connecting, for verifying, and for handing over latencies."""
END_LIMIT_S: Final = 10.0
"""From the end of its input to its own end."""
VERIFIED: Final = 100
"""Commands whose replies are checked before anything is measured, rounded up to whole units."""
VERIFIED_WAITS: Final = 3
"""The same, of commands whose replies the server makes the client wait for."""
TOGETHER_NS: Final = 5_000_000
TOGETHER_NS_A_PROCESS: Final = 1_000_000
"""How soon processes on several hosts begin together: orders are sent at the same time, and each takes CPU here."""
MOST: Final = 256
"""Calls that are under way at the same time."""
_POOL: Final = ThreadPoolExecutor(MOST, thread_name_prefix="calls")
"""Starts a thread only when there is something to call."""


@dataclass
class TrialProcesses:
    """The processes of one trial; whatever fails in a step raises a `RunnerFailedError`."""

    bed: Testbed
    trial: Trial
    runners: list[Runner] = field(default_factory=list)
    """Those that have been started and have not ended."""
    loaded: list[Loaded] = field(default_factory=list)
    """What each of them said when it had loaded."""
    handshake: Handshake | None = None
    """What the server saw while they connected."""
    sockets: list[Sockets] | None = None
    replies: list[list[Any]] = field(default_factory=list)
    """To the verification, by process."""
    opened: int = 0
    """Connections that were open after connecting."""
    pending: list[Runner] = field(default_factory=list)
    """Processes that were ordered to do something and have not answered yet."""
    hosts: list[OnHost] = field(default_factory=list)
    """Of each process, if there are several hosts; known in the end."""
    peak_memory_bytes: int = 0
    """Known in the end."""
    held: ExitStack = field(default_factory=ExitStack)
    """What works beside them, and ends with them."""

    @property
    def workload(self) -> WorkloadFile:
        """Return the trial's workload."""
        return self.bed.workload_of(self.trial.cell)

    @property
    def in_use(self) -> ServerInUse:
        """Return the trial's server."""
        return self.bed.servers[self.trial.cell.server]

    @property
    def verified(self) -> int:
        """Return how many commands' replies are checked; 0: none."""
        if not self.trial.cell.client.capabilities.replies:
            return 0
        return VERIFIED_WAITS if self.bed.settings.waits_s_of(self.trial.cell) else VERIFIED

    def start(self) -> None:
        """Start every process; they load at the same time. Raises RunnerMissingError if the program is not there."""
        self._check_password()
        for part in range(self.trial.cell.shape.processes):
            # One by one: if one does not start, those before it are in the list, and are ended.
            self.runners.append(self.bed.start(self.trial, part))

    def _check_password(self) -> None:
        """Refuse to show a user's password; that of a server that the run started ends with it."""
        has_one = self.in_use.server.endpoint.password is not None
        if self.trial.cell.client.capabilities.own_programs and has_one and not self.in_use.server.spawned:
            raise UnsupportedError(
                f"{self.trial.cell.client.library} takes a password as an argument, which every user of this machine "
                "could read: measure a server without a password, or let respmark start the server"
            )

    def load(self) -> None:
        """Wait until every process is loaded."""
        try:
            self.loaded = [process.load(START_LIMIT_S) for process in self.runners]
        except UnsupportedError:
            raise
        except RunnerFailedError as error:
            said = f"{error}{self._other_versions()}"
            raise RunnerFailedError(said, error.stderr) from error

    def _other_versions(self) -> str:
        """Return the advice for a version that no spec describes; empty for any other."""
        client = self.trial.cell.client
        spec = self.bed.clients.get(client.library)
        if spec is None or client.version is None or client.version in spec.versions:
            return ""
        adapter = spec.of_version(client.version).adapter
        return f"; if the adapter, {adapter}, does not fit this version of {client.library}, choose another one"

    def connect(self) -> None:
        """Connect and verify while nobody else does anything: all that the server counts is this trial's."""
        control, client = self.in_use.server.control, self.trial.cell.client
        protocol = protocol_of(client, self.bed.clients.get(client.library), self.loaded[0].settings)
        names = self.workload.workload.header.counted
        self.handshake, self.opened = observed(control, names, protocol, self._connect)
        for part, replies in enumerate(self.replies):
            if wrong := mismatched_key(control, self.workload.workload, self.firsts(part)[0], len(replies)):
                raise RunnerFailedError(wrong)
        self.sockets = together(call_each(self.runners, lambda process: process.sockets()))

    def _connect(self) -> None:
        for part, process in enumerate(self.runners):
            process.connect(START_LIMIT_S)
            if self.verified:
                self.replies.append(process.echo(self.verified, START_LIMIT_S))
                self._verify(part)

    def _verify(self, part: int) -> None:
        replies, cell = self.replies[part], self.trial.cell
        per_unit = commands_per_unit(cell.scenario, cell.shape)
        if not replies or len(replies) % per_unit:
            sent = -(-max(1, len(replies)) // per_unit) * per_unit
            raise RunnerFailedError(
                f"{sent} commands were sent, but {len(replies)} replies came: the client lost count"
            )
        if wrong := wrong_reply(self.workload.workload, self.firsts(part)[0], replies):
            raise RunnerFailedError(wrong)

    def firsts(self, part: int, first: int = 0) -> list[int]:
        """Return where each walker of a process begins, if the trial begins at `first`."""
        cell = self.trial.cell
        return first_commands(self.workload.commands, cell.shape, cell.scenario, part, first)

    def order(self, work: Work) -> None:
        """Order all processes to work; those on several hosts begin at the same moment."""
        at_ns, count = None, len(self.runners)
        if on_several_hosts(self.runners):
            at_ns = self.bed.clock() + TOGETHER_NS + count * TOGETHER_NS_A_PROCESS
        call_each(self.runners, partial(self._order, work, at_ns))

    def _order(self, work: Work, at_ns: int | None, process: Runner) -> None:
        process.work(work, at_ns)
        self.pending.append(process)

    def answers(self, limit_s: float) -> tuple[Worked, ...]:
        """Wait until all processes have done what `order` said, and return their answers."""
        return tuple(call_each(self.runners, partial(self._answer, limit_s)))

    def _answer(self, limit_s: float, process: Runner) -> Worked:
        answer = process.worked(limit_s)
        self.pending.remove(process)
        return answer

    def settle(self) -> None:
        """Wait for answers that are due: an interrupt came before them, and nothing else comes before they do."""
        while self.pending:
            self.pending[0].worked(START_LIMIT_S)
            del self.pending[0]

    def collect(self) -> None:
        """Take over latencies, where there is little room left."""
        call_each(self.runners, lambda process: process.collect(START_LIMIT_S))

    def samples(self) -> list[list[Latencies]]:
        """Return the latencies of each process, by slice; answers that are due come first."""
        self.settle()
        return [process.samples(START_LIMIT_S) for process in self.runners]

    def end(self) -> None:
        """Let every process that is running end in order."""
        self.settle()
        self.peak_memory_bytes = self.peak_memory_so_far()
        self.hosts = [host for process in self.runners if (host := process.host)]
        while self.runners:
            self.runners[0].end(END_LIMIT_S)
            del self.runners[0]

    def peak_memory_so_far(self) -> int:
        """Return the largest resident sets so far of the processes that run, together, in bytes."""
        return sum(process.peak_memory_bytes() or 0 for process in self.runners)

    def kill(self) -> None:
        """End every process that is still running, and what works beside them."""
        self.held.close()
        while self.runners:
            self.runners[0].kill()
            del self.runners[0]
        self.pending.clear()

    def cpu_ns(self) -> int | None:
        """Return the CPU time of the processes since they started, by the kernel's count; None if not counted.

        A driver works in children of its process, whose CPU the kernel adds only when they have ended.
        """
        can = self.trial.cell.client.capabilities
        return None if can.own_programs else _sum_if_all(call_each(self.runners, lambda process: process.cpu_ns()))

    def compiling_ns(self) -> int | None:
        """Return the CPU time of the processes' compilers so far; None if they have none, or it is not counted."""
        return _sum_if_all(call_each(self.runners, lambda process: process.compiling_ns()))

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each thread of the processes, by the kernel's count; None if not counted."""
        return together_ns(call_each(self.runners, lambda process: process.threads_ns()))

    def mislabelled(self, versions: Mapping[str, Mapping[str, str]]) -> str | None:
        """Return why the trial is not what its label says, by the versions that it loaded and by its RESP version.

        `versions` are those that earlier trials of each client loaded.
        """
        client = self.trial.cell.client
        spec = self.bed.clients.get(client.library)
        absent = spec.must_not_load(client.options) if spec else frozenset[str]()
        wrong = version_mismatch(client, self.loaded, versions.get(client.name), absent)
        return wrong or (None if self.handshake is None else protocol_mismatch(self.handshake))

    def base_outcome(self) -> Outcome:
        """Return what is known of the trial, of whatever kind, as if it were `ok`."""
        loaded = self.loaded[0] if self.loaded else Loaded(contract=0, versions={})
        return Outcome(
            status=Status.OK,
            versions=loaded.versions,
            settings=loaded.settings,
            decodes_to=(decoded_to(self.replies[0]) or "bytes") if self.replies else None,
            verified_replies=sum(map(len, self.replies)),
            peak_memory_bytes=self.peak_memory_bytes,
            memory_bytes_per_key=self.in_use.state.bytes_per_key.get(self.workload.workload.header.name),
            handshake=self.handshake,
            sockets=self.sockets,
        )


def on_several_hosts(processes: Sequence[Runner]) -> bool:
    """Return whether processes are on at least two hosts."""
    return len({host.name for process in processes if (host := process.host)}) > 1


def call_each(processes: Sequence[Runner], call: Callable[[Runner], Value]) -> list[Value]:
    """Return what a call returns for each process, in their order; raises what the first one that fails raises.

    On one machine, they are called one after the other, in this thread. Calls to hosts have threads of their own: an
    interrupt must not end one whose answer would then be lost. When it returns or raises, none is under way any more.
    """
    if not any(process.host for process in processes):
        return [call(process) for process in processes]
    calls = [_POOL.submit(call, process) for process in processes]
    try:
        wait(calls)
    finally:  # an interrupt ends the slice as it does on one machine: when every process has answered
        wait(calls)
    return [one.result() for one in calls]


def _sum_if_all(readings: Iterable[int | None]) -> int | None:
    every = list(readings)
    known = [one for one in every if one is not None]
    return sum(known) if len(known) == len(every) else None
