"""The record of cold starts: one trial's starts, stage by stage."""

from pydantic import Field

from respmark.contract.base import Message, Nanoseconds
from respmark.contract.lines import Started
from respmark.results.records import TrialRecord


class ColdStart(Message):
    """One process, from its start to its first reply. What the program does for itself is in no stage."""

    runtime_ns: Nanoseconds
    """From the request for a process to the first line of its program."""
    load_ns: Nanoseconds | None = None
    """The library is loaded, with the adapter's own file; null: it is a part of the program, and begins with it."""
    create_ns: Nanoseconds
    """The client is made, with what it needs to be waited for, such as an event loop."""
    connect_ns: Nanoseconds | None = None
    """Its connection is open; null: the library connects as it makes the client."""
    first_ns: Nanoseconds
    """The first command has its reply."""

    @classmethod
    def of(cls, asked_ns: int, found: Started) -> "ColdStart":
        """Return the stages of a process that was asked for at that moment of CLOCK_MONOTONIC."""
        return cls(
            runtime_ns=found.main_ns - asked_ns,
            load_ns=found.load_ns,
            create_ns=found.create_ns,
            connect_ns=found.connect_ns,
            first_ns=found.first_ns,
        )

    @property
    def total_ns(self) -> int:
        """Return what all stages took."""
        return self.runtime_ns + (self.load_ns or 0) + self.create_ns + (self.connect_ns or 0) + self.first_ns


class StartsRecord(TrialRecord):
    """One round of a client's cold starts."""

    starts: list[ColdStart] = Field(default_factory=list)
    """Those that count, in the order in which they happened: one a lap."""

    @property
    def measured_s(self) -> float:
        """Return how long its starts took."""
        return sum(one.total_ns for one in self.starts) / 1e9
