"""What a run stores about a trial that works in slices."""

from enum import StrEnum
from statistics import median
from typing import Annotated, Final

from pydantic import Field, PlainSerializer, PlainValidator

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount, Seconds
from respmark.contract.trial import SampleCovers
from respmark.histogram import Histogram, Pairs
from respmark.results.records import TrialRecord

PRIMARY: Final = "primary"
REPLICA: Final = "replica"
"""Begin the names of a cluster's nodes."""


class Aim(StrEnum):
    """What a slice is for, if the highest rate that keeps to a goal is looked for."""

    SEARCH = "search"
    HALF = "50 %"
    SEVENTY = "70 %"
    NINETY = "90 %"
    """Of the rate that was found."""
    COMMON = "common"
    """The same rate for all clients: 70 % of the lowest that was found."""

    @property
    def share(self) -> float:
        """Return the share of a rate that was found; 1 where it is looked for."""
        return {Aim.HALF: 0.5, Aim.SEVENTY: 0.7, Aim.NINETY: 0.9, Aim.COMMON: 0.7}.get(self, 1.0)


class SliceRecord(Message):
    """One slice of a trial: all its processes together, and what the server and this machine's kernel saw meanwhile.

    Counters that a server or kernel does not have are null, which is not the same as 0.
    """

    lap: PositiveCount
    turn: PositiveCount
    """Its place in the lap, counted from 1."""
    reason: str | None = None
    """Why it does not count: the server's counters do not back it. Null: it counts, unless it was repeated."""
    is_repeated: bool = False
    """Compilers were at work: the lap's next slice of this trial counts in its place."""
    begun_ns: Nanoseconds
    """When the first process's measured part began; CLOCK_MONOTONIC."""
    elapsed_ns: Nanoseconds
    """From then to the end of the last process's measured part."""
    lasted_ns: Nanoseconds
    """From the order to the last answer."""
    outside_ns: Count | None = None
    """How much of that was before the first process began, or after the last one ended."""
    together_ns: Count | None = None
    """How long the measured parts of all processes overlapped; null if there is one process."""
    operations: Count
    """Commands completed in the measured part, without MULTI and EXEC."""
    units: Count
    """Commands, bursts, batches, transactions or connections completed in the measured part."""
    commands: Count
    """Commands completed, those of the lead-in included."""
    client_cpu_ns: Nanoseconds
    """CPU of the runner's processes in the measured part, by their own count."""
    slice_cpu_ns: Nanoseconds
    """The same with the lead-in."""
    waited_ns: Nanoseconds
    """Time since the previous slice, summed over processes; 0 for the first, and after a slice that is repeated."""
    waiting_cpu_ns: Nanoseconds
    """CPU of the runner's processes in that time."""
    kernel_cpu_ns: Count | None = None
    """CPU of the runner's processes from order to answer, as the kernel or the control groups counted it."""
    client_thread_ns: Count | None = None
    """CPU of the runner's busiest thread in that time."""
    server_thread_ns: Count | None = None
    """CPU of the server's busiest thread in that time; only of a server that the run started here."""
    compiling_ns: Count | None = None
    """CPU of the runner's just-in-time compilers in that time; null if they have no threads of their own."""
    evidence_ns: Nanoseconds
    """Time between the two readings of the server's counters; the counters below are of that time."""
    server_cpu_ns: Nanoseconds
    other_cpu_ns: Nanoseconds | None = None
    """CPU of all processes of this machine except the runner's and, if it runs here, the server's."""
    stolen_cpu_ns: Nanoseconds | None = None
    """CPU that the hypervisor gave to other machines."""
    server_commands: Count
    """Calls of the workload's commands and of handshakes: the server counts the reads of both together."""
    split_calls: Count | None = None
    """Calls of commands with several keys, where those are across the slots of a cluster; null anywhere else."""
    redirects: Count | None = None
    """Commands that a cluster's node did not carry out but sent on (MOVED, ASK); null where there is no cluster."""
    asks: Count | None = None
    """So many of them with ASK: their slots were being moved; null where there is no cluster, like the next ones."""
    askings: Count | None = None
    """ASKINGs that clients sent: one is due before each command that ASK has sent on."""
    moved_slots: Count | None = None
    """Slots that the run moved; null if it moves none."""
    topology_calls: dict[str, Count] = Field(default_factory=dict)
    """By command: how often clients asked a cluster for its nodes, its commands or its state."""
    node_reads: dict[str, Count] = Field(default_factory=dict)
    """Of a cluster: the workload's reads that each node carried out."""
    reads: Count | None = None
    """Reads that the server did."""
    input_bytes: Count | None = None
    connections_received: Count
    connections_open: Count
    """Connections of this trial that were open when the slice began."""
    hits: Count | None = None
    misses: Count | None = None
    stale_reads: Count | None = None
    """Reads that did not find what the client had written before; null unless the workload is about that."""
    writes: Count | None = None
    """What it had written, so often; null as well."""
    local_reads: Count | None = None
    """GETs in `caching`, those included that the server did not see; null in other scenarios, like the next two."""
    local_misses: Count | None = None
    local_invalidations: Count | None = None
    """Entries that local caches dropped because the server said so."""
    own_commands: dict[str, Count] = Field(default_factory=dict)
    """Calls that libraries made of their own accord, by command."""
    elements: Count | None = None
    """Elements that the client took from the list to which the run pushes them; null if the workload has none."""
    element_wait_ns: Count | None = None
    """How long they had waited, added up, each from when it was sent until the client had it."""
    aim: Aim | None = None
    """Null: the slice is of a rate that was asked for, or of none."""
    rate_due: float | None = None
    """Commands per second that were due, on average; null in closed loops, like the next ones."""
    due: Count | None = None
    """Units that were due in the measured part."""
    unstarted: Count | None = None
    """How many of them never began."""
    backlog: Count | None = None
    """The most units that were due and had not begun, at any moment."""
    awake_ns: Count | None = None
    """0: its runner slept until each unit was due, and its CPU is the client's; null: it read the clock at the end."""
    is_saturated: bool | None = None
    """Whether more of them were waiting at the end than just due, and more than at half time: the rate is too high."""
    service_p50_ns: float | None = None
    service_p99_ns: float | None = None
    """Of the time from begin to done."""
    lag_p50_ns: float | None = None
    lag_p99_ns: float | None = None
    """Of the time from due to begin."""
    p50_ns: float | None = None
    p99_ns: float | None = None
    """Latency of the slice's units; null where no samples were kept, and in runs measured before they were stored."""

    @property
    def counts(self) -> bool:
        """Return whether it counts."""
        return self.reason is None and not self.is_repeated


def _to_json(pairs: Pairs) -> list[int]:
    return [number for pair in pairs for number in pair]


class Latency(Message):
    """Latency of the scenario's units, in all slices and processes of a trial."""

    sample_covers: SampleCovers
    histogram: Annotated[Pairs, PlainValidator(Histogram.of), PlainSerializer(_to_json, when_used="json")]
    """Sparse pairs of `value_ns` and count, ascending; `value_ns` is the lowest value of its HdrHistogram bucket (3
    digits). In JSON, one pair after the other: `[value_ns, count, value_ns, count, ...]`."""
    max_ns: Nanoseconds
    """Largest sample, exact."""
    unended_from_ns: Nanoseconds | None = None
    """The shortest of those samples that are the time until a unit was given up; null if there is none."""


class WarmUp(Message):
    """How a trial was warmed up: slices that are not kept, first beside other clients, then alone."""

    slices: Count
    work_s: Seconds
    """How long they lasted together."""
    together_s: Seconds = 0.0
    """How much of that was beside other clients."""
    is_steady: bool
    """Judged alone. False if the limit was reached while throughput or CPU per command still showed a trend, or
    compilers were busy."""
    compiling_percent: float | None = None
    """CPU of its just-in-time compilers in the last eight slices, in percent of their time; null if not counted."""
    is_apart_from_server: bool = False
    """Whether its one busy thread is kept off the server's CPU from then on."""


class SearchEnd(StrEnum):
    """Why a search for the highest rate ended."""

    FOUND = "found"
    """The highest rate that passed and the lowest that failed are near enough to each other."""
    NONE_HELD = "none held"
    """No rate passed, however low."""
    LAPS = "laps"
    """It took more laps than a search may."""
    CUT_SHORT = "cut short"
    """The user interrupted the run, or the server was lost; the trial's `reason` says so."""


class FoundRate(Message):
    """What the search for the highest rate that keeps to a goal found, in commands per second."""

    held: float | None
    """The highest rate that passed; null if none did."""
    failed: float | None
    """The lowest rate that failed; null if none did."""
    ended: SearchEnd


class HostShare(Message):
    """What one of several hosts did in a trial's slices that count."""

    host: str
    processes: PositiveCount
    operations: Count
    """Commands in the measured parts of slices."""
    elapsed_ns: Nanoseconds
    """How long its measured parts lasted together."""
    client_cpu_ns: Nanoseconds
    """CPU of its processes meanwhile, as they count it themselves."""
    clock_error_ns: Count
    """By how much its clock, translated to the harness's, may be wrong."""
    other_cpu_percent: float | None = None
    """Of one of its processors: what all other programs there used while its processes worked; null: not known."""


class LoopRecord(TrialRecord):
    """One trial that works in slices."""

    warm_up: WarmUp | None = None
    found: FoundRate | None = None
    """Null unless the highest rate that keeps to a goal was looked for."""
    latency: Latency | None = None
    """Null if nothing was measured. Of an open loop: from due to done."""
    service: Latency | None = None
    """Of an open loop: from begin to done."""
    lag: Latency | None = None
    """Of an open loop: from due to begin."""
    hosts: list[HostShare] = Field(default_factory=list)
    """Each host's part, if clients ran on several."""
    slices: list[SliceRecord] = Field(default_factory=list)
    """In the order in which they ran, without those of the warm-up."""

    @property
    def measured_s(self) -> float:
        """Return how long its slices lasted together that count, without their lead-ins."""
        return sum(one.elapsed_ns for one in self.slices if one.counts) / 1e9

    @property
    def rps(self) -> float | None:
        """Return the median of its slices' commands per second."""
        rates = [one.operations / one.elapsed_ns * 1e9 for one in self.slices if one.counts]
        return median(rates) if rates else None

    @property
    def was_steady(self) -> bool:
        """Return whether it was steady when its warm-up ended."""
        return self.warm_up is None or self.warm_up.is_steady

    @property
    def is_off_core(self) -> bool | None:
        """Return whether it was kept off the server's CPU; None: that was not decided."""
        return None if self.warm_up is None else self.warm_up.is_apart_from_server
