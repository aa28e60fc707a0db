"""Records of version 1, as respmark 0.1 wrote them: one window per trial instead of slices; read, never written."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount, Seconds
from respmark.contract.events import Latency, Segment
from respmark.contract.trial import Scenario, Shape
from respmark.results.records import Evidence, Status, TrialRecord
from respmark.specs.client import Client

Version = Annotated[int, Field(ge=1, le=1)]


class Ready1(Message):
    """What a runner reported before its window."""

    event: Literal["ready"] = "ready"
    schema_version: Version
    trial_id: str
    startup_ns: Nanoseconds
    """From the start of the runner's program to this event, less the warm-up."""
    verified_replies: Count
    """Replies checked against the workload before the warm-up."""
    warmup_operations: Count
    """Commands completed in the warm-up."""


class Half1(Message):
    """The window's first half, to show drift between the halves."""

    operations: Count
    """Commands completed when the first unit at or after half of `measure_s` ended."""
    elapsed_ns: Nanoseconds
    """When that was, counted from the start of the window."""


class Result1(Message):
    """What a runner reported after its window."""

    event: Literal["result"] = "result"
    schema_version: Version
    trial_id: str
    operations: Count
    """Commands of the workload completed without error in the window (MULTI and EXEC are not among them)."""
    units: Count
    """Units completed without error: commands, bursts, batches, transactions or connections."""
    segments: list[Segment]
    """Which commands they were; the harness derives the server's expected calls from it."""
    errors: dict[str, PositiveCount]
    """Units that failed, by kind (the library's error class)."""
    first_error: str | None
    """The first error's message, shortened to 500 characters."""
    elapsed_ns: Nanoseconds
    """From `go` to the completion of the last unit, on a monotonic clock."""
    first_half: Half1 | None
    """Null if no unit ended in time."""
    cpu_user_ns: Nanoseconds
    """User CPU of this process, all threads, over exactly the window."""
    cpu_system_ns: Nanoseconds
    """System CPU of this process, all threads, over exactly the window."""
    latency: Latency
    peak_memory_bytes: Count
    """Peak resident set of this process."""
    decodes_to: Literal["bytes", "text"]
    """What the client decodes a GET reply to."""
    runtime_health: dict[str, int | float]
    """Garbage collection, event loop and the like over the window; the keys stand in the contract's page."""
    runtime_settings: dict[str, str | int | float | bool]
    """Runtime flags and settings that bear on the figures (heap, JIT, garbage collector)."""
    versions: dict[str, str]
    """What was really loaded: the library under its own name, its dependencies, the runtime."""


class TrialRecord1(Message):
    """One trial of version 1."""

    schema_version: Version
    trial_id: str
    cell_id: str
    round: PositiveCount
    order: PositiveCount
    """Its place in the run, counted from 1."""
    client: Client
    language: str
    scenario: Scenario
    shape: Shape
    workload: str
    warmup_s: Seconds
    measure_s: Seconds
    started_at: datetime
    status: Status
    reason: str | None
    """Why it is not `ok`."""
    stderr: list[str] = Field(default_factory=list)
    """Last lines of the runner's standard error, if it failed."""
    ready: list[Ready1] = Field(default_factory=list)
    """One per process."""
    results: list[Result1] = Field(default_factory=list)
    """One per process; kept even if the claim is not backed."""
    evidence: Evidence | None = None
    counted_cpu_ns: Count | None = None
    """CPU of all runner processes over the window, as their containers' control groups counted it; null if none did."""


Record = TrialRecord | TrialRecord1
"""A record of any version that can be read."""
