"""What the runner says while a trial runs: one JSON object per line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from respmark_python.contract import SCHEMA_VERSION


@dataclass(frozen=True)
class Loaded:
    """The library is loaded, the commands are materialised; waiting for `connect`."""

    trial_id: str
    startup_ns: int
    event: str = "loaded"
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True)
class Ready:
    """Every connection is open, replies are verified; waiting for `slice`."""

    trial_id: str
    connect_ns: int
    verified_replies: int
    event: str = "ready"


@dataclass(frozen=True)
class Moment:
    """The process at one moment of a slice; CPU time is that of all its threads since it started."""

    at_ns: int
    cpu_user_ns: int
    cpu_system_ns: int


@dataclass(frozen=True)
class Work:
    """What was completed in one part of a slice."""

    operations: int
    units: int


@dataclass(frozen=True)
class Segment:
    """One walker's path through the workload in a slice, cyclic from `first_command`."""

    first_command: int
    operations: int


@dataclass(frozen=True)
class LocalCache:
    """What the client's own cache did: since it was made or, in an event, since the slice before or verification."""

    hits: int | None
    """None: the library does not count them."""
    misses: int
    invalidations: int
    """Entries dropped because the server said so."""

    def since(self, earlier: "LocalCache") -> "LocalCache":
        """Return what it did since `earlier`."""
        hits = None if self.hits is None or earlier.hits is None else self.hits - earlier.hits
        return LocalCache(hits, self.misses - earlier.misses, self.invalidations - earlier.invalidations)


@dataclass(frozen=True)
class Slice:
    """The slice that was ordered is done."""

    trial_id: str
    slice: int
    started: Moment
    measured_from: Moment
    ended: Moment
    lead_in: Work
    measured: Work
    segments: Sequence[Segment]
    errors: Mapping[str, int]
    first_error: str | None
    local_cache: LocalCache | None = None
    event: str = "slice"


@dataclass(frozen=True)
class Latency:
    """Latency of the scenario's units, `[value_ns, count]` in ascending order."""

    sample_covers: str
    histogram: Sequence[tuple[int, int]]
    max_ns: int


@dataclass(frozen=True)
class Result:
    """What is reported once, after the last slice."""

    trial_id: str
    latency: Latency
    peak_memory_bytes: int
    decodes_to: str
    runtime_health: Mapping[str, int | float]
    runtime_settings: Mapping[str, str | int | float | bool]
    versions: Mapping[str, str]
    event: str = "result"
    schema_version: int = SCHEMA_VERSION


def to_json(message: Any) -> str:
    """Return the message as one line of JSON."""
    return json.dumps(vars(message), default=vars, separators=(",", ":"), ensure_ascii=False)
