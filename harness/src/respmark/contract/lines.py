"""The lines between harness and runner, as `harness/contract.md` has them; the harness checks every line it reads.

The last classes describe what `loaded` and a client's files say about what can be run here.
"""

from typing import Any, NamedTuple

from pydantic import Field

from respmark.contract.base import Count, Message, Nanoseconds, PositiveCount
from respmark.contract.trial import Scenario


class OwnUnits(Message):
    """When the units of one process are due."""

    file: str
    """A little-endian int64 a unit, ascending: it is due so many ns after `at`."""
    lead_in: Count
    """How many of them, the first ones, are of the lead-in."""


class Arrivals(Message):
    """When the units of a slice are due, in an open loop."""

    own: tuple[OwnUnits, ...] = Field(exclude=True)
    """By process, each of which is told its own alone."""
    at: Nanoseconds
    """CLOCK_MONOTONIC."""
    drain_ns: Nanoseconds
    """A unit that has not started so long after the end of its part is left out."""
    awake_ns: Count | None = Field(default=None, exclude_if=lambda given: given is None)
    """How long before a unit is due whoever waits for it reads the clock; 0: it sleeps. Null, not sent: 20 µs."""


class Work(Message):
    """Work for one slice now."""

    first: Count
    """Index in the workload of the slice's first command, of which it follows where each walker begins."""
    lead_in_ns: Nanoseconds = 0
    """How long the same work runs before the measured part, to warm caches after the others' turns."""
    ns: PositiveCount
    """How long the measured part lasts; the units under way at its end are completed and counted."""
    keep: bool
    """Whether the latencies of the measured part are kept; not while warming up."""
    arrivals: Arrivals | None = None
    """Null: a closed loop, in which a unit begins when the one before has ended."""


class Due(Message):
    """When the units of one process are due that keeps going."""

    file: str
    """A little-endian int64 a unit, ascending: it is due so many ns after `at`."""
    at: Nanoseconds
    """CLOCK_MONOTONIC."""


class KeepGoing(Message):
    """Keep going, whatever becomes of the server."""

    due: Due
    log: str
    """The file that gets a line of JSON when a unit begins, one when it ends, and one when the client is closed."""
    enough: str
    """No unit begins once this file exists."""
    until: Nanoseconds
    """None begins from then on; whoever hangs is not waited for."""


class Loaded(Message):
    """The library is loaded, nothing is connected."""

    contract: int
    versions: dict[str, str]
    """What is really loaded: the library under the client's name, what changes how it works, the runtime."""
    settings: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """What a reader must know; `protocol` is the RESP version where that depends on version or scenario."""


class Moment(NamedTuple):
    """A runner's process at one moment of a slice."""

    at_ns: Count
    """CLOCK_MONOTONIC."""
    user_ns: Count
    """CPU of all its threads since it started."""
    system_ns: Count

    @property
    def cpu_ns(self) -> int:
        """Return user and system CPU together."""
        return self.user_ns + self.system_ns


class CacheCounts(Message):
    """What the client's own cache did since the slice before, in `caching`."""

    hits: Count | None
    """GETs that it answered; null: the library does not count them."""
    misses: Count
    """GETs that were sent."""
    invalidations: Count | None
    """Entries that it dropped because the server said so; null: the library does not count them."""


class Worked(Message):
    """One slice of one process."""

    started: Moment
    """Before the lead-in's first unit."""
    measured_from: Moment
    """After the lead-in's last reply and before the measured part's first unit."""
    ended: Moment
    """After the last reply of the measured part."""
    lead_in: list[Count]
    """Completed units of each walker."""
    measured: list[Count]
    errors: dict[str, PositiveCount]
    """Units that failed, by the library's error class."""
    first_error: str | None
    cache: CacheCounts | None = None

    @property
    def cpu_ns(self) -> int:
        """Return the CPU time of the process in the slice, its lead-in included."""
        return self.ended.cpu_ns - self.started.cpu_ns

    @property
    def elapsed_ns(self) -> int:
        """Return how long the measured part lasted."""
        return self.ended.at_ns - self.measured_from.at_ns

    @property
    def units(self) -> int:
        """Return how many units were completed, those of the lead-in included."""
        return sum(self.lead_in) + sum(self.measured)


class Samples(Message):
    """The latencies since the last time."""

    latencies: str
    """Base64 of little-endian float64, in ns, grouped by slice."""
    counts: list[Count]
    """How many each kept slice has."""
    dropped: Count
    """How many did not fit."""
    due: str | None = None
    """Of an open loop, in the form and order of `latencies`, which are negative for units that failed: when each unit
    was due, in ns after the slice's `at`."""
    lags: str | None = None
    """And how much later it began, in ns."""


class Went(Message):
    """All walkers are done, or those that are not hang."""


class Bared(Message):
    """A slice of the bare loop, which `make fidelity` asks for."""

    units: PositiveCount
    started: Moment
    ended: Moment


class Started(Message):
    """A program that started, sent one command and had its reply."""

    main_ns: Nanoseconds
    """CLOCK_MONOTONIC, in the first line of the program."""
    load_ns: Nanoseconds | None = None
    """Null: the library is a part of the program."""
    create_ns: Nanoseconds
    connect_ns: Nanoseconds | None = None
    """Null: the library connects as it makes the client."""
    first_ns: Nanoseconds
    reply: Any
    versions: dict[str, str]
    """As in `Loaded`."""


class Line(Message):
    """One line of a runner: exactly one of these."""

    loaded: Loaded | None = None
    connected: dict[str, Any] | None = None
    replies: list[Any] | None = None
    worked: Worked | None = None
    samples: Samples | None = None
    went: Went | None = None
    bared: Bared | None = None
    started: Started | None = None
    unsupported: str | None = None


class Difference(Message):
    """One thing in which a library, or its runtime, is not set as it is installed; options are not among them."""

    setting: str
    """As the library or the runtime calls it."""
    installed: str
    """What it is where nobody sets it."""
    here: str
    why: str
    scenarios: list[Scenario] = Field(default_factory=list)
    """Where it is so; empty: everywhere."""
    is_limit: bool = False
    """Whether it bounds a wait: under a fault, that is as installed, or what the option `limits` says."""
