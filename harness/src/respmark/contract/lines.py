"""What a runner prints, as `harness/contract.md` has it; the harness checks every line."""

from typing import Any

from pydantic import Field

from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.events import LocalCache, Moment


class LoadedLine(Message):
    """The library is loaded, nothing is connected."""

    contract: int
    versions: dict[str, str]
    """What is really loaded: the library under the client's name, what changes how it works, the runtime."""
    settings: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """What a reader must know; `protocol` is the RESP version where that depends on the library's version."""


class WorkedLine(Message):
    """One slice."""

    started: tuple[Count, Count, Count]
    """CLOCK_MONOTONIC, user and system CPU time of the process, in ns; the others alike."""
    measured_from: tuple[Count, Count, Count]
    ended: tuple[Count, Count, Count]
    lead_in: list[Count]
    """Completed units of each walker."""
    measured: list[Count]
    errors: dict[str, PositiveCount]
    first_error: str | None
    cache: "CacheCounts | None" = None


class CacheCounts(Message):
    """What the client's own cache did since the slice before."""

    hits: Count | None
    misses: Count
    invalidations: Count

    @property
    def local_cache(self) -> LocalCache:
        """Return them as a slice has them."""
        return LocalCache(hits=self.hits, misses=self.misses, invalidations=self.invalidations)


class SamplesLine(Message):
    """The latencies since the last time."""

    latencies: str
    """Base64 of little-endian float64, in ns, grouped by slice."""
    counts: list[Count]
    """How many each kept slice has."""
    dropped: Count
    """How many did not fit."""


class BaredLine(Message):
    """A slice of the bare loop."""

    units: PositiveCount
    started: tuple[Count, Count, Count]
    ended: tuple[Count, Count, Count]


class Line(Message):
    """One line: exactly one of these."""

    loaded: LoadedLine | None = None
    connected: dict[str, Any] | None = None
    replies: list[Any] | None = None
    worked: WorkedLine | None = None
    samples: SamplesLine | None = None
    bared: BaredLine | None = None
    unsupported: str | None = None


def moment(found: tuple[int, int, int]) -> Moment:
    """Return a moment as a slice has it."""
    at_ns, user_ns, system_ns = found
    return Moment(at_ns=at_ns, cpu_user_ns=user_ns, cpu_system_ns=system_ns)
