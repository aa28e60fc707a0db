"""One trial that works in slices: its orders, its answers, and what was read before and after each slice."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from respmark.contract.lines import Work, Worked
from respmark.contract.trial import Scenario
from respmark.errors import RunnerFailedError, UnsupportedError
from respmark.kinds.loops.arrivals import begins_at
from respmark.kinds.loops.open_loop import OpenSlice, open_slice
from respmark.kinds.loops.record import Aim, WarmUp
from respmark.kinds.loops.search import Search
from respmark.machine.kernel import busiest_ns, more_ns
from respmark.network.round_trip import cpu_ns_of
from respmark.plan.plan import PlannedCell
from respmark.plan.unsupported import MOVES_NOTHING
from respmark.run.processes import TrialProcesses
from respmark.runners.protocol import Latencies
from respmark.servers.background import Background, Producer, RepeatedCommand, Sent, lost_subscribers
from respmark.servers.cluster import Cluster, slots_of
from respmark.servers.evidence import Snapshot, take
from respmark.servers.moves import SlotMover
from respmark.workload.spec import MovesSpec
from respmark.workload.workload import Workload

SLICE_GRACE_S: Final = 30.0
"""For completing what is in flight, on top of the slice's own time; more than an open loop's drain."""
Threads = dict[int, int] | None
"""CPU time by thread; None if not counted."""


@dataclass(frozen=True, kw_only=True)
class RawSlice:
    """One slice as it ran; what the server counted is read out of it later, when no slice runs."""

    work: Work
    lap: int
    turn: int
    answers: tuple[Worked, ...]
    """One per process."""
    before: Snapshot
    after: Snapshot
    ordered_ns: int
    answered_ns: int
    kernel_cpu_ns: int | None
    """CPU time of the processes between order and answer, by the kernel's count; None if not counted."""
    client_thread_ns: int | None
    """Of their busiest thread."""
    server_thread_ns: int | None
    """Of the server's."""
    relay_ns: int | None
    """Of the relays that make the round trip."""
    compiling_ns: int | None
    """Of the processes' just-in-time compilers."""
    probe: tuple[Aim, float] | None = None
    """What it is for and its rate, where the highest rate is looked for."""
    own_traffic: Sent | None = None
    """What the run itself did beside the client: it pushed the elements that this takes, or kept the server busy."""

    def ended_ns(self, kept: Latencies) -> Latencies:
        """Return when each unit ended whose latency is kept, of a trial with one walker."""
        if self.work.arrivals is None:
            return self.answers[0].measured_from.at_ns + np.cumsum(kept)
        return self.work.arrivals.at + kept[:, 1] + kept[:, 2] + np.abs(kept[:, 0])

    def as_open(self, cell: PlannedCell, kept: Latencies) -> OpenSlice | None:
        """Return what a slice of an open loop shows; None if this is one of a closed loop."""
        return open_slice(cell, self.work, self.answers, kept)


@dataclass
class Loop:
    """One trial in slices."""

    processes: TrialProcesses
    slices: list[RawSlice] = field(default_factory=list)
    """Those that have ended, without those of the warm-up."""
    warm_up: WarmUp | None = None
    unit_ns: int = 0
    """How long a unit took in the warm-up; 0: not known."""
    closed_rps: float = 0.0
    """How many commands per second it did at the end of its warm-up, in a closed loop; 0: not known."""
    search: Search | None = None
    """Of the highest rate that keeps to a goal."""
    background: Background | None = None
    """What the run itself does beside it: pushes what the workload's command takes, or keeps the server busy."""
    latencies: list[list[Latencies]] = field(default_factory=list)
    """Of each process, by slice; they are handed over in the end."""
    _own_traffic: Sent | None = None
    """In the slice that has just ended."""

    @property
    def cell(self) -> PlannedCell:
        """Return the trial's cell."""
        return self.processes.trial.cell

    @property
    def waits_asleep(self) -> bool:
        """Return whether it waits as an application does that polls, so that its CPU is a client's."""
        is_queue = self.processes.workload.workload.header.list_key is not None
        return is_queue and self.processes.bed.runners[self.cell.client.runner].sleeps

    def prepare(self) -> None:
        """Get ready to do beside it what its workload wants."""
        self.background = self._background()
        if self.background is not None:
            self.processes.held.callback(self.background.close)

    def _background(self) -> Background | None:
        workload, endpoint = self.processes.workload.workload, self.processes.in_use.server.endpoint
        spec = workload.header
        if spec.moves is not None:
            return self._mover(workload, spec.moves)
        if spec.beside is not None:
            return RepeatedCommand(endpoint, workload.beside(), spec.beside.keys, spec.beside.per_second)
        if spec.list_key is None:
            return None
        if self.cell.scenario is not Scenario.SYNC or self.cell.shape.processes > 1:
            raise UnsupportedError(
                f"workload `{spec.name}` is about one client that takes one element after the other: measure it in "
                "sync, with one process"
            )
        key = workload.key(spec.list_key)
        held = self.processes.in_use.server.control.holding(key).endpoint
        return Producer(held, key, spec.elements_per_second)

    def _mover(self, workload: Workload, spec: MovesSpec) -> Background:
        cluster, header = self.processes.in_use.server.control, workload.header
        if not isinstance(cluster, Cluster):
            raise UnsupportedError(MOVES_NOTHING)
        keys = np.arange(header.preload_keys, dtype=np.uint32)
        slots = slots_of(header.key_prefix.encode(), header.key_digits, keys)
        return SlotMover(cluster, {int(slot) for slot in slots}, spec)

    def work(self, work: Work) -> tuple[Worked, ...]:
        """Let all processes work for one slice at the same time, and return their answers."""
        self.begin(work)
        return self.answers(work)

    def begin(self, work: Work) -> None:
        """Order all processes to work for one slice."""
        if self.background is not None:
            begun_ns = self.processes.bed.clock() if work.arrivals is None else work.arrivals.at
            self.background.begin(begun_ns + work.lead_in_ns)
        self.processes.order(work)

    def answers(self, work: Work) -> tuple[Worked, ...]:
        """Wait until all processes have done what `begin` ordered, and return their answers."""
        try:
            answers = self.processes.answers((work.lead_in_ns + work.ns) / 1e9 + SLICE_GRACE_S)
        finally:  # where this one fails, the block's others go on, undisturbed
            self._own_traffic = None if self.background is None else self.background.end()
        for one in answers:
            if not len(one.lead_in) == len(one.measured) == self._walkers:
                raise RunnerFailedError(f"the runner reports {len(one.measured)} walkers, not {self._walkers}")
        return answers

    @cached_property
    def _walkers(self) -> int:
        """Of each process; counted before the first slice."""
        return len(self.processes.firsts(0))

    def take_slice(self, work: Work, lap: int, turn: int, probe: tuple[Aim, float] | None = None) -> None:
        """Run one slice that counts, between two readings of the server's counters."""
        processes = self.processes
        control, clock = processes.in_use.server.control, processes.bed.clock
        compiled_ns, relayed_ns = processes.compiling_ns(), self._relay_ns()
        before, threads_before = take(control), self._threads()
        ordered_ns, cpu_before = clock(), processes.cpu_ns()
        work = begins_at(work, ordered_ns)
        answers = self.work(work)
        cpu_after, answered_ns = processes.cpu_ns(), clock()
        threads_after, after = self._threads(), take(control)
        used = more_ns(cpu_before, cpu_after)
        client_ns, server_ns = (busiest_ns(*both) for both in zip(threads_before, threads_after, strict=True))
        raw = RawSlice(
            work=work,
            lap=lap,
            turn=turn,
            answers=answers,
            before=before,
            after=after,
            ordered_ns=ordered_ns,
            answered_ns=answered_ns,
            kernel_cpu_ns=used,
            client_thread_ns=client_ns,
            server_thread_ns=server_ns,
            relay_ns=more_ns(relayed_ns, self._relay_ns()),
            compiling_ns=more_ns(compiled_ns, processes.compiling_ns()),
            probe=probe,
            own_traffic=self._own_traffic,
        )
        self.slices.append(raw)
        processes.collect()
        self._check_subscribers()

    def _check_subscribers(self) -> None:
        """Refuse a trial whose messages have not reached as many subscribers as its workload says."""
        spec = self.processes.workload.workload.header
        if spec.channel is None or not spec.subscribers:
            return
        if wrong := lost_subscribers(self.processes.in_use.server.control, spec.channel, spec.subscribers):
            raise RunnerFailedError(wrong)

    def last_open_slice(self) -> OpenSlice | None:
        """Return what the slice that has just ended shows; None in a closed loop."""
        kept = np.concatenate([samples[-1] for samples in self.processes.samples()])
        return self.slices[-1].as_open(self.cell, kept)

    def hand_over(self) -> None:
        """Let every process hand over its latencies; if there were no slices, end it at once."""
        if self.slices:
            self.latencies = self.processes.samples()
        else:
            self.processes.kill()

    def by_slice(self) -> list[Latencies]:
        """Return the latencies of each slice, all processes together, without those of one that was interrupted."""
        if not self.latencies:
            return []
        nothing = np.empty(0 if self.cell.shape.rate is None else (0, 3))
        return [
            np.concatenate([one[place] if place < len(one) else nothing for one in self.latencies])
            for place in range(len(self.slices))
        ]

    def _threads(self) -> tuple[Threads, Threads]:
        own = None if self.cell.client.capabilities.own_programs else self.processes.threads_ns()
        return own, self.processes.in_use.server.threads_ns()

    def _relay_ns(self) -> int | None:
        rtt_ms = self.cell.shape.rtt_ms
        return None if rtt_ms is None else cpu_ns_of(self.processes.in_use.round_trips[rtt_ms])
