"""The record of a fault: what was done and when, and what callers saw of it."""

from pydantic import Field

from respmark.contract.base import Count, Message, Nanoseconds, Seconds
from respmark.contract.trial import Fault, Scenario
from respmark.results.records import TrialRecord
from respmark.specs.limits import LimitsSpec


class Wait(Message):
    """How long something took; or how long it had been waited for when the callers ended."""

    s: Seconds
    is_over: bool = True
    """False: longer than that."""


class Errors(Message):
    """Commands that failed in the same way."""

    error: str
    """The library's class, as its callers see it."""
    text: str
    """Of the first one."""
    before: Count = 0
    """How many ended before the fault,"""
    during: Count = 0
    """while it lasted,"""
    after: Count = 0
    """and after it."""


class Second(Message):
    """What happened in one second of the trial."""

    due: Count
    """Commands that were due in it."""
    succeeded: Count
    """Replies that callers had in it, whenever their commands were due."""
    failed: Count
    """Errors that they had."""
    elsewhere: Count | None = None
    """So many of the replies were those of callers of other primaries' keys; null: no primary was replaced."""


class Writes(Message):
    """INCRBYs of all callers, by their replies and by the server's counters in the end."""

    sent: Count
    acknowledged: Count
    """The caller had a reply."""
    lost: Count = 0
    """Acknowledged, but not there in the end."""
    lost_by_server: Count | None = None
    """So many of those had not come to the replica that took over; null: there was none, or it could not be asked."""
    unacknowledged: Count = 0
    """Executed, although the caller had an error or was still waiting."""
    doubled: Count = 0
    """Executed more often than they were sent, at the least."""
    late: Count = 0
    """Executed after the caller had been told that they failed, as the counters show between two looks."""
    late_s: Seconds = 0.0
    """How long after, at the most, if writes are executed in the order in which they failed."""


class Connections(Message):
    """Connections of clients from the begin of the fault on, as the relay counted them, or the nodes that were left."""

    before: Count = 0
    """Open when it began."""
    opened: Count
    during: Count = 0
    """So many of those while it lasted."""
    busiest: Count
    """Opened in the busiest 100 ms."""
    left: int
    """Open in the end beyond those that were open before the fault."""
    forwarded_bytes: Count = 0
    """From clients to the server."""
    swallowed_bytes: Count = 0
    """From clients, which the server never got."""
    refused: Count = 0
    """Commands that were refused in the server's place."""


class Elsewhere(Message):
    """What callers saw whose keys were not those of the primary that was replaced."""

    longest_wait: Wait
    """Of the commands that were under way or due until a replica had taken its place."""
    errors: Count
    """In the fault and after it."""


class Figures(Message):
    """What was seen of a fault."""

    longest_wait: Wait
    """Of the commands that were under way or due while the fault lasted, from call to result or error."""
    perceived_wait: Wait
    """The same, from when each was due."""
    first_success: Wait
    """From the end of the fault to the first success of any caller; from its begin if it is not mended, or lasts no
    time: then, of commands that began later. Where a primary was replaced, of callers of its keys."""
    last_success: Wait
    """The same, to the first success of the last caller."""
    recovered: Wait
    """The same, until a second in which 99 % of what was due succeeded in time; where a primary was replaced, at least
    until each caller of its keys had a success."""
    healthy_p99_s: Seconds
    """Before the fault."""
    errors: list[Errors] = Field(default_factory=list)
    failed_afresh: Count | None = None
    """Commands that began when the fault was over, or from its begin on if it is not mended, and failed; null: not
    counted."""
    wrong: Count = 0
    """Replies with another value than the key's."""
    writes: Writes
    outage: Wait | None = None
    """Where a primary was replaced: the longest time in which no caller of its keys had a reply, from the begin of the
    fault on."""
    elsewhere: Elsewhere | None = None
    """Where a primary was replaced: what callers of the other primaries' keys saw."""
    seconds: list[Second]


class Step(Message):
    """What the harness did."""

    what: str
    at_ns: Nanoseconds
    """CLOCK_MONOTONIC, when it began to."""
    took_ns: Nanoseconds = 0
    late_ns: Nanoseconds = 0
    """How much later that was than planned."""


class FaultRecord(TrialRecord):
    """One round of a client under one fault."""

    lasts_s: Seconds = 0.0
    """How long the fault was to last, or to be watched; 0: it is over at once. Of a failover: until a replica had taken
    the primary's place, all nodes told clients so, and took commands."""
    affected: Count = 0
    """How many callers had keys of the primary that was replaced."""
    callers: Scenario | None = None
    """The scenario in which they called: the one that the library's documentation has for several at a time."""
    made_as: Fault | None = None
    """The fault that took this one's place, as this machine drops no packets; null: it was made as its name says."""
    limits: LimitsSpec | None = None
    """What bounds a wait, as the client's spec says; null: it says nothing."""
    begun_ns: Nanoseconds = 0
    """CLOCK_MONOTONIC when the first command was due."""
    steps: list[Step] = Field(default_factory=list)
    figures: Figures | None = None
    connections: Connections | None = None
    client_cpu_percent: float | None = None
    """CPU of the client's processes from the begin of the fault until the callers ended, of one processor."""
    memory_growth_bytes: Count | None = None
    """By how much their largest resident sets grew meanwhile."""
    machine_busy_percent: float | None = None
    """CPU that all programs of the machine used while the callers went on, of all processors."""
    close: Wait | None = None
    """How long closing the client took."""
    close_error: str | None = None
    """The error with which closing it ended; null: it went well."""

    @property
    def measured_s(self) -> float:
        """Return for how long callers were watched."""
        return 0.0 if self.figures is None else float(len(self.figures.seconds))
