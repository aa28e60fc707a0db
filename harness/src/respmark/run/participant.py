"""One trial's part in a block: its runner processes, driven from start to end."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from respmark.contract.events import Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.errors import RunnerFailedError
from respmark.evidence.kernel import busiest_ns, more_ns, threads_cpu_ns
from respmark.evidence.memory import Peak, memory_mismatch
from respmark.evidence.protocols import protocol_mismatch
from respmark.evidence.samples import verification_mismatch
from respmark.evidence.snapshot import Context, Snapshot, connections, evidence_between, take
from respmark.evidence.verdict import Asked, asked_of, slice_mismatches, trial_mismatches
from respmark.evidence.versions import version_mismatch
from respmark.execute.protocol import RunnerProcess
from respmark.plan.trial import Trial
from respmark.results.records import Evidence, Handshake, SliceRecord, Status, WarmUp
from respmark.results.slice_arrays import SliceArrays
from respmark.run.connecting import Connecting, observed
from respmark.run.context import MadeWorkload, RunContext
from respmark.run.read_back import written_otherwise
from respmark.specs.naming import protocol_of
from respmark.workload.walk import first_commands

START_LIMIT_S: Final = 60.0
"""For loading, for connecting and verifying, and for the result."""
SLICE_GRACE_S: Final = 30.0
"""For completing what is in flight, on top of the slice's own time."""
END_LIMIT_S: Final = 10.0
UNSUPPORTED_EXIT: Final = 3
CPUS: Final = os.cpu_count() or 1
COUNTED_AT_LEAST: Final = 0.8
"""Share of a trial's slices that must be backed; with fewer, the trial has failed. Of the five of `quick`, one may be
lost: in one such, the kernel counted 29 ms more CPU than node-redis did, whose helper threads ran on the other CPU."""

Event = TypeVar("Event", Loaded, Ready, Slice, Result)


@dataclass(frozen=True)
class Outcome:
    """What became of a trial."""

    status: Status
    reason: str | None = None
    stderr: tuple[str, ...] = ()
    loaded: tuple[Loaded, ...] = ()
    ready: tuple[Ready, ...] = ()
    handshake: Handshake | None = None
    warm_up: WarmUp | None = None
    slices: tuple[SliceRecord, ...] = ()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True)
class Turn:
    """One slice as it ran; its evidence is computed later, when no slice runs."""

    order: SliceOrder
    lap: int
    turn: int
    answers: tuple[Slice, ...]
    before: Snapshot
    after: Snapshot
    ordered_ns: int
    answered_ns: int
    cpu_by_kernel_ns: int | None
    client_thread_ns: int | None
    server_thread_ns: int | None
    compiling_ns: int | None


@dataclass
class Participant:
    """One trial's part in a block; a `RunnerFailedError` in any step takes it out of the block."""

    context: RunContext
    trial: Trial
    setup_commands: frozenset[str]
    """Commands that the block's libraries send of their own accord."""
    processes: list[RunnerProcess] = field(default_factory=list)
    loaded: tuple[Loaded, ...] = ()
    ready: tuple[Ready, ...] = ()
    results: tuple[Result, ...] = ()
    warm_up: WarmUp | None = None
    turns: list[Turn] = field(default_factory=list)
    slices_ordered: int = 0
    unit_ns: int = 0
    """How long a unit took in the warm-up; 0: not known."""
    failure: Outcome | None = None
    loss: str | None = None
    """Why slices are missing although the runner did not fail."""
    _connecting: Connecting | None = None
    _peaks: list[Peak] = field(default_factory=list)
    """Peak memory of the processes."""
    _working: bool = False
    """Whether a slice was ordered and is not answered yet."""
    _unheard: list[Slice] = field(default_factory=list)
    """Answers to a slice that an interrupt made us miss; the result includes its samples, so it is not compared."""

    @property
    def workload(self) -> MadeWorkload:
        """Return its workload."""
        return self.context.workload_of(self.trial.cell)

    @property
    def active(self) -> bool:
        """Return whether it is still taking turns."""
        return self.failure is None

    def start(self) -> None:
        """Start every process; they load at the same time."""
        for part in range(self.trial.cell.shape.processes):
            # One by one: if one does not start, those before it are in the list, and are ended.
            self.processes.append(
                self.context.executor.start(self.trial.cell.client, self.context.request(self.trial, part))
            )

    def load(self) -> None:
        """Wait until every process is loaded."""
        self.loaded = tuple(self._next(process, Loaded, START_LIMIT_S) for process in self.processes)

    def connect(self) -> None:
        """Connect and verify while nobody else does anything: all that the server counts is this trial's."""
        control, names = self.context.target.control, self.workload.expectations.names
        self._connecting = observed(control, self.trial.cell.scenario, names, self._connect)
        self._read_back()

    def _read_back(self) -> None:
        cell, workload = self.trial.cell, self.workload
        for part, ready in enumerate(self.ready):
            first, *_ = first_commands(workload.commands, cell.shape, cell.scenario, part)
            control = self.context.target.control
            if wrong := written_otherwise(control, workload.workload, first, ready.verified_replies):
                raise RunnerFailedError(wrong)

    def _connect(self) -> None:
        for process in self.processes:
            process.order(Connect())
            self.ready = (*self.ready, self._next(process, Ready, START_LIMIT_S))

    def work(self, order: SliceOrder) -> tuple[Slice, ...]:
        """Let all processes work for one slice at the same time, and return their answers."""
        return self.answers(self.begin(order))

    def begin(self, order: SliceOrder) -> SliceOrder:
        """Order all processes to work for one slice; return the order as they have it."""
        self.slices_ordered += 1
        self._working = True
        order = order.model_copy(update={"slice": self.slices_ordered})
        for process in self.processes:
            process.order(order)
        return order

    def answers(self, order: SliceOrder) -> tuple[Slice, ...]:
        """Wait until all processes have done what `begin` ordered, and return their answers."""
        limit_s = (order.lead_in_ns + order.duration_ns) / 1e9 + SLICE_GRACE_S
        answers = tuple(self._answer(process, order, limit_s) for process in self.processes)
        self._working = False
        return answers

    def take_turn(self, order: SliceOrder, lap: int, turn: int) -> None:
        """Run one slice that counts, between two readings of the server's counters."""
        compiled_ns = self.compiling_ns()
        before, threads_before = take(self.context.target.control), self._threads()
        ordered_ns, cpu_before = self.context.clock(), self.cpu_ns()
        answers = self.work(order)
        cpu_after, answered_ns = self.cpu_ns(), self.context.clock()
        threads_after, after = self._threads(), take(self.context.target.control)
        used = more_ns(cpu_before, cpu_after)
        client_ns, server_ns = (busiest_ns(*both) for both in zip(threads_before, threads_after, strict=True))
        more = (used, client_ns, server_ns, more_ns(compiled_ns, self.compiling_ns()))
        self.turns.append(Turn(order, lap, turn, answers, before, after, ordered_ns, answered_ns, *more))
        for process in self.processes:
            process.collect(START_LIMIT_S)

    def finish(self) -> None:
        """Let every process fold its samples, send its result and end; if there were no slices, kill them."""
        if not self.turns:
            self.kill()
            return
        before = [process.peak_memory_bytes() for process in self.processes]
        for process in self.processes:
            process.order(Finish())
        self.results = tuple(self._result(*both) for both in zip(self.processes, before, strict=True))
        for process in self.processes:
            process.wait(END_LIMIT_S)

    def fail(self, error: RunnerFailedError) -> None:
        """Take the trial out of the block because of this error; the others continue."""
        status = Status.UNSUPPORTED if error.runner_exit_code == UNSUPPORTED_EXIT else Status.FAILED
        reason = error.stderr[-1] if status is Status.UNSUPPORTED and error.stderr else str(error)
        self.failure = Outcome(status, reason, error.stderr)
        self.kill()

    def kill(self) -> None:
        """End every process that is still running."""
        for process in self.processes:
            process.kill()

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started, by the kernel's count; None if not counted."""
        return _sum_if_all(process.cpu_ns() for process in self.processes)

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its processes' compilers so far; None if they have none, or it is not counted."""
        return _sum_if_all(process.compiling_ns() for process in self.processes)

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each thread of its processes, by the kernel's count; None if not counted."""
        by_process = [process.threads_ns() for process in self.processes]
        known = [threads for threads in by_process if threads is not None]
        return None if len(known) < len(by_process) else {thread: ns for one in known for thread, ns in one.items()}

    def outcome(self) -> Outcome:
        """Return the trial's outcome, once nothing runs any more.

        Raises:
            TargetLostError: the server was restarted in between.
        """
        try:
            slices = self._judged(self._records())
        except OverflowError:
            return Outcome(Status.FAILED, "the runner claims a number of more than 64 bits, which nothing has")
        told = Outcome(
            status=Status.OK,
            loaded=self.loaded,
            ready=self.ready,
            handshake=self._handshake(),
            warm_up=self.warm_up,
            slices=slices,
            results=self.results,
        )
        if self.failure is not None:
            return replace(told, status=self.failure.status, reason=self.failure.reason, stderr=self.failure.stderr)
        status, reason = self._verdict(slices)
        if status is Status.OK and self.results:
            self.context.versions.setdefault(self.trial.cell.client.name, self.results[0].versions)
        return replace(told, status=status, reason=reason)

    def _handshake(self) -> Handshake | None:
        if self._connecting is None:
            return None
        client = self.trial.cell.client
        return self._connecting.handshake(protocol_of(client, self.context.executor.describe(client)))

    def _verdict(self, slices: tuple[SliceRecord, ...]) -> tuple[Status, str | None]:
        mismatches = [one.mismatch for one in slices if one.mismatch is not None]
        if len(slices) - len(mismatches) < COUNTED_AT_LEAST * max(1, len(slices)):
            return Status.FAILED, mismatches[0] if mismatches else self.loss or "no slice was measured"
        untrue = next(filter(None, self._trial_mismatches(slices)), None)
        if untrue is not None:
            return Status.FAILED, untrue
        lost = f"{len(mismatches)} of {len(slices)} slices are not counted: {mismatches[0]}" if mismatches else None
        return Status.OK, "; ".join(filter(None, (lost, self.loss))) or None

    def _trial_mismatches(self, slices: tuple[SliceRecord, ...]) -> Iterator[str | None]:
        """Yield why claims about the trial as a whole are not true; None for each that holds."""
        cell, arrays = self.trial.cell, SliceArrays.of(slices)
        results = () if self._unheard else self.results
        yield from (reason for _, reason in trial_mismatches(arrays, [self._asked], [results], CPUS))
        yield memory_mismatch(results, self._peaks[: len(results)])
        yield protocol_mismatch(self._handshake(), cell.scenario, arrays)
        yield verification_mismatch(self.ready, self.context.request(self.trial, part=0).verify_commands)
        spec = self.context.clients.get(cell.client.library)
        absent = spec.must_not_load(cell.client.options) if spec else frozenset[str]()
        yield version_mismatch(cell.client, self.results, self.context.versions.get(cell.client.name), absent)

    def _records(self) -> list[SliceRecord]:
        opened = 0 if self._connecting is None else self._connecting.opened
        records = []
        for turn in self.turns:
            records.append(
                SliceRecord(
                    lap=turn.lap,
                    turn=turn.turn,
                    answers=list(turn.answers),
                    order=turn.order,
                    ordered_ns=turn.ordered_ns,
                    answered_ns=turn.answered_ns,
                    evidence=self._evidence(turn, max(0, opened)),
                    cpu_by_kernel_ns=turn.cpu_by_kernel_ns,
                    client_thread_ns=turn.client_thread_ns,
                    server_thread_ns=turn.server_thread_ns,
                    compiling_ns=turn.compiling_ns,
                    mismatch=None,
                )
            )
            opened += connections(turn.after) - connections(turn.before)
        return records

    def _judged(self, records: list[SliceRecord]) -> tuple[SliceRecord, ...]:
        """Return the slices, with the reason for each whose claim is not true."""
        reasons = slice_mismatches(SliceArrays.of(records), [self._asked], CPUS)
        return tuple(
            one.model_copy(update={"mismatch": reasons[place]}) if place in reasons else one
            for place, one in enumerate(records)
        )

    @property
    def _asked(self) -> Asked:
        cell = self.trial.cell
        return asked_of(cell.scenario, cell.shape, self.workload.commands)

    def _evidence(self, turn: Turn, connections_open: int) -> Evidence:
        cell = self.trial.cell
        context = Context(
            expectation=self.workload.expectations.of(cell.scenario, turn.answers, cell.shape.cache_entries),
            runner_cpu_ns=sum(cpu_ns(answer) for answer in turn.answers),
            server_is_local=self.context.target.local,
            connections_open=connections_open,
            setup_commands=self.setup_commands,
        )
        return evidence_between(turn.before, turn.after, context)

    def _threads(self) -> tuple[dict[int, int] | None, dict[int, int] | None]:
        """Return the CPU time of each thread of the runner processes, and of each thread of the server."""
        pid = self.context.target.pid
        return self.threads_ns(), None if pid is None else threads_cpu_ns(pid)

    def _answer(self, process: RunnerProcess, order: SliceOrder, limit_s: float) -> Slice:
        answer = self._next(process, Slice, limit_s)
        if answer.slice != order.slice:
            message = f"the runner answered slice {answer.slice}, where slice {order.slice} was ordered"
            raise RunnerFailedError(message)
        return answer

    def _result(self, process: RunnerProcess, peak_before: int | None) -> Result:
        if self._working:
            self._unheard.append(self._next(process, Slice, START_LIMIT_S))
        result = self._next(process, Result, START_LIMIT_S)
        self._peaks.append(Peak(peak_before, process.peak_memory_bytes()))
        return result

    def _next(self, process: RunnerProcess, kind: type[Event], limit_s: float) -> Event:
        event = process.next_event(limit_s)
        if not isinstance(event, kind):
            message = f"the runner sent `{event.event}` where `{kind.model_fields['event'].default}` was due"
            raise RunnerFailedError(message)
        if event.trial_id != self.trial.id:
            message = f"the runner answers for trial `{event.trial_id}`, not for `{self.trial.id}`"
            raise RunnerFailedError(message)
        return event


def _sum_if_all(readings: Iterable[int | None]) -> int | None:
    """Return the sum of the processes' readings; None unless all are known."""
    every = list(readings)
    known = [one for one in every if one is not None]
    return sum(known) if len(known) == len(every) else None


def cpu_ns(answer: Slice) -> int:
    """Return the CPU time of a process in a whole slice, including its lead-in."""
    return answer.ended.cpu_ns - answer.started.cpu_ns
