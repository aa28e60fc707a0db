"""The common form of a micro-benchmark's result, whichever tool measured it, and the file that keeps it."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field

from respmark.contract.base import Count, Message, PositiveCount, SchemaVersion
from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.results.machine import Machine
from respmark.results.manifest import RunStatus, TargetDescription
from respmark.results.records import Status
from respmark.results.store import MANIFEST, read_model

MICRO: Final = "micro.json"
Trials = TypeVar("Trials")
"""What trials are read as."""
ToolName = Literal["jmh", "benchmarkdotnet"]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tool(Message):
    """The tool that measured."""

    name: ToolName
    version: str | None
    """As its file gives it."""


class Collections(Message):
    """Garbage collection while an operation was measured; what the tool does not report is null or missing."""

    count: Count | None = None
    """Collections in all measured iterations together."""
    time_ms: Amount | None = None
    """The time that they took together."""
    per_1000_operations: dict[str, Amount] = Field(default_factory=dict)
    """Collections per thousand operations, by generation (`gen0`, `gen1`, `gen2`)."""


class Measured(Message):
    """The figures of one benchmark."""

    time_ns: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Time of one operation, in nanoseconds: the mean over iterations."""
    error_ns: Amount | None
    """Its error, in nanoseconds; null if the tool could not compute one, as after a single iteration."""
    error_is: str
    """How the tool defines that error."""
    allocated_bytes: Amount | None
    """Bytes of memory allocated per operation."""
    collections: Collections = Collections()
    forks: PositiveCount
    """How many separate processes measured."""
    iterations: PositiveCount
    """Measured iterations, in all processes together."""
    threads: PositiveCount
    """Threads that performed operations at the same time."""


class MicroRecord(Message):
    """One benchmark, measured or not."""

    benchmark: str
    """Its full name, as the tool has it."""
    parameters: dict[str, str]
    """Those that are not part of the shape."""
    language: str
    library: str | None
    """The client library; null for a benchmark that is not the project's own."""
    library_version: str | None = None
    topic: str
    """The table that it belongs to: a scenario's name, or what else it measures."""
    scenario: Scenario | None = None
    shape: Shape | None = None
    subject: str
    """The column that it belongs to: the library, or what else is compared."""
    operation: str
    """What one operation is."""
    commands: PositiveCount | None = None
    """Commands in one operation; null if it sends none, or if that is not known."""
    runtime: str
    """Name and version of the JVM or .NET runtime."""
    flags: tuple[str, ...] = ()
    """What the runtime was started with."""
    status: Status
    reason: str | None
    """Why it is not `ok`."""
    measured: Measured | None = None

    @property
    def ns_per_command(self) -> float | None:
        """Return the operation's time per command."""
        return self.measured.time_ns / self.commands if self.measured and self.commands else None


class MicroRun(Message):
    """Everything that one run of a tool left: the file `micro.json` of a results folder."""

    schema_version: SchemaVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    status: RunStatus
    started_at: datetime
    ended_at: datetime
    tool: Tool
    job: str
    """How long was measured: `short`, `medium`, `long`."""
    machine: Machine
    awake: bool | None = None
    """Whether idle CPUs were kept from sleeping; null in older files."""
    target: TargetDescription
    records: list[MicroRecord]


def read_folder(folder: Path, read: Callable[[Path], Trials]) -> list[Trials | MicroRun]:
    """Return what a results folder holds: trials, which `read` reads, micro-benchmarks, or both."""
    try:
        has_trials, has_micro = ((folder / name).is_file() for name in (MANIFEST, MICRO))
    except OSError as error:
        raise InvalidRequestError(f"{folder} cannot be read: {error.strerror}") from error
    if not has_trials and not has_micro:
        raise InvalidRequestError(f"{folder} is not the folder of a run: it has no {MANIFEST} and no {MICRO}")
    return [*([read(folder)] if has_trials else []), *([read_model(folder / MICRO, MicroRun)] if has_micro else [])]
