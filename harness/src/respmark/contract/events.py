"""What harness and runner say to each other while a trial runs: one JSON object a line."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount, SchemaVersion


class SampleCovers(StrEnum):
    """What one latency sample covers: the scenario's unit."""

    COMMAND = "command"
    BURST = "burst"
    BATCH = "batch"
    TRANSACTION = "transaction"
    CONNECTION = "connection"


class Go(Message):
    """Harness to runner: start the measured window now."""

    event: Literal["go"] = "go"


class Ready(Message):
    """Runner to harness: connected, verified, warmed up, every reply received; waiting for `go`."""

    event: Literal["ready"] = "ready"
    schema_version: SchemaVersion
    trial_id: str
    startup_ns: Nanoseconds
    """From the start of the runner's program to this event, less the warm-up."""
    verified_replies: Count
    """Replies checked against the workload before the warm-up."""
    warmup_operations: Count
    """Commands completed in the warm-up."""


class Progress(Message):
    """Runner to harness, about once a second inside the window."""

    event: Literal["progress"] = "progress"
    trial_id: str
    elapsed_ns: Nanoseconds
    """Since the window began."""
    operations: Count
    """Commands completed since the window began."""


class Segment(Message):
    """One thread's (or process's) walk through the workload, cyclic from `first_command`."""

    first_command: Count
    """Index in the workload of the first measured command."""
    operations: Count
    """Commands completed from there on, in order."""


class Half(Message):
    """The window's first half, to show drift between the halves."""

    operations: Count
    """Commands completed when the first unit at or after half of `measure_s` ended."""
    elapsed_ns: Nanoseconds
    """When that was, since the window began."""


class Latency(Message):
    """Latency of the scenario's units."""

    sample_covers: SampleCovers
    histogram: list[tuple[Nanoseconds, PositiveCount]]
    """Sparse `[value_ns, count]`, ascending; `value_ns` is the lowest value of its HdrHistogram bucket (3 digits)."""
    max_ns: Nanoseconds
    """Largest sample, exact."""


class Result(Message):
    """Runner to harness: what was measured."""

    event: Literal["result"] = "result"
    schema_version: SchemaVersion
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
    first_half: Half | None
    """Null when no unit ended in time to tell."""
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


RunnerEvent = Annotated[Ready | Progress | Result, Field(discriminator="event")]
RUNNER_EVENT: TypeAdapter[Ready | Progress | Result] = TypeAdapter(RunnerEvent)
"""Parses one line of a runner's standard output."""
