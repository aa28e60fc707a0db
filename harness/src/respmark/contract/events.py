"""What a trial does, within the harness: orders to whoever drives a runner, and the events that come of them."""

from collections.abc import Sequence
from typing import Literal

from respmark.contract.base import ContractVersion, Count, Message, Nanoseconds, PositiveCount
from respmark.contract.trial import SampleCovers


class Connect(Message):
    """Connect and verify replies now."""

    order: Literal["connect"] = "connect"


class SliceOrder(Message):
    """Work for one slice now."""

    order: Literal["slice"] = "slice"
    slice: PositiveCount
    """The slice's number within the trial, counted from 1."""
    duration_ns: PositiveCount
    """How long the measured part lasts; the units under way at its end are completed and counted."""
    lead_in_ns: Nanoseconds = 0
    """How long the same work runs before the measured part, to warm caches after the others' turns; 0: not at all."""
    first_command: Count
    """Index in the workload of the slice's first command."""
    keep_samples: bool
    """Whether the latencies of the measured part go into the result; false while warming up."""


class Finish(Message):
    """No more slices: give the result."""

    order: Literal["finish"] = "finish"


class Loaded(Message):
    """The library is loaded, the commands are made; the runner waits for `connect`."""

    event: Literal["loaded"] = "loaded"
    schema_version: ContractVersion
    trial_id: str
    startup_ns: Nanoseconds
    """From the start of the runner's program to this event."""


class Ready(Message):
    """Every connection is open, replies are verified; the runner waits for a slice."""

    event: Literal["ready"] = "ready"
    trial_id: str
    connect_ns: Nanoseconds
    """From the order `connect` to the last connection's opening, verification left out."""
    verified_replies: Count
    """Replies checked against the workload."""


class Moment(Message):
    """The process at one moment of a slice."""

    at_ns: Nanoseconds
    """CLOCK_MONOTONIC."""
    cpu_user_ns: Nanoseconds
    """User CPU of this process, all threads, since it started."""
    cpu_system_ns: Nanoseconds
    """System CPU of this process, all threads, since it started."""

    @property
    def cpu_ns(self) -> int:
        """Return user and system CPU together."""
        return self.cpu_user_ns + self.cpu_system_ns


class Work(Message):
    """What was completed without error in one part of a slice."""

    operations: Count
    """Commands of the workload (MULTI and EXEC are not among them)."""
    units: Count
    """Commands, bursts, batches, transactions or connections."""


class Segment(Message):
    """One walker's way through the workload in a slice, cyclic from `first_command`."""

    first_command: Count
    """Index in the workload of the walker's first command."""
    operations: Count
    """Commands completed from there on, in order, the lead-in's among them."""


class LocalCache(Message):
    """What the client's own cache did from the end of the slice before to the end of this one, in `caching`.

    Of the first slice, from the end of verification.
    """

    hits: Count | None
    """GETs that it answered, as the library counts them; null: the library does not count."""
    misses: Count
    """GETs that it had no answer to: these were sent."""
    invalidations: Count
    """Entries that it dropped because the server said so, while it waited as well."""


class Slice(Message):
    """The slice that was ordered is done, and every reply to it is in."""

    event: Literal["slice"] = "slice"
    trial_id: str
    slice: PositiveCount
    """The number that the order gave."""
    started: Moment
    """Before the lead-in's first unit."""
    measured_from: Moment
    """After the lead-in's last reply and before the measured part's first unit."""
    ended: Moment
    """After the last reply of the measured part."""
    lead_in: Work
    """Between `started` and `measured_from`."""
    measured: Work
    """Between `measured_from` and `ended`."""
    segments: list[Segment]
    """One a walker; the harness derives from them what the server must have counted."""
    errors: dict[str, PositiveCount]
    """Units that failed, by kind (the library's error class)."""
    first_error: str | None
    """The first error's message, shortened to 500 characters."""
    local_cache: LocalCache | None = None
    """Of `caching` only; null or absent elsewhere."""


class Latency(Message):
    """Latency of the scenario's units."""

    sample_covers: SampleCovers
    histogram: Sequence[tuple[Nanoseconds, PositiveCount]]
    """Sparse `[value_ns, count]`, ascending; `value_ns` is the lowest value of its HdrHistogram bucket (3 digits)."""
    max_ns: Nanoseconds
    """Largest sample, exact."""


class Result(Message):
    """What is told once, after the last slice."""

    event: Literal["result"] = "result"
    schema_version: ContractVersion
    trial_id: str
    latency: Latency
    """Of the measured parts of all slices whose samples were to be kept."""
    peak_memory_bytes: Count
    """Peak resident set of this process."""
    decodes_to: Literal["bytes", "text"]
    """What the client decodes a GET reply to."""
    runtime_health: dict[str, int | float]
    """Garbage collection, event loop and the like; of runs before runners kept contract 3."""
    runtime_settings: dict[str, str | int | float | bool]
    """Runtime flags and settings that bear on the figures (heap, JIT, garbage collector)."""
    versions: dict[str, str]
    """What was really loaded: the library under its own name, its dependencies, the runtime."""
