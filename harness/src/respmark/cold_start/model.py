"""The file that keeps cold starts, and what their stages add up to."""

from collections.abc import Callable
from datetime import datetime
from statistics import median
from typing import Final

from pydantic import Field

from respmark.contract.base import Message, Nanoseconds, SchemaVersion
from respmark.contract.lines import Started
from respmark.machine.description import Machine
from respmark.results.manifest import RunStatus, ServerDescription
from respmark.results.records import Status

COLD_START: Final = "cold-start.json"
"""The file in a results folder."""


class ColdStart(Message):
    """One process, from its start to its first reply. What the program does for itself is in no stage."""

    runtime_ns: Nanoseconds
    """From the request for a process to the first line of its program."""
    load_ns: Nanoseconds | None
    """The library is loaded, with the adapter's own file; null: it is a part of the program, and begins with it."""
    create_ns: Nanoseconds
    """The client is made, with what it needs to be waited for, such as an event loop."""
    connect_ns: Nanoseconds | None
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


class ClientStarts(Message):
    """The starts of one client, in the order in which they happened."""

    client: str
    language: str
    versions: dict[str, str] = Field(default_factory=dict)
    """What was really loaded."""
    status: Status
    reason: str | None = None
    """Why it is not `ok`."""
    starts: list[ColdStart] = Field(default_factory=list)

    def median_ns(self, stage: Callable[[ColdStart], int | None]) -> float | None:
        """Return the median of a stage; None if there is no such stage, or no start."""
        found = [one for one in map(stage, self.starts) if one is not None]
        return median(found) if found else None


class ColdStartRun(Message):
    """Everything that `respmark cold-start` measured: the file `cold-start.json` of a results folder."""

    schema_version: SchemaVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    status: RunStatus
    started_at: datetime
    ended_at: datetime
    seed: int
    """Decides the order of clients in each round."""
    machine: Machine
    target: ServerDescription
    clients: list[ClientStarts]
