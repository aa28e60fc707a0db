"""The trace: what went over the wire in one trial, as frozen records and as a file."""

from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError

from respmark.contract.base import SCHEMA_VERSION, Count, Message, Nanoseconds, PositiveCount, SchemaVersion
from respmark.contract.trial import Scenario, Shape
from respmark.errors import TraceFileError
from respmark.files import write_whole


class ReplyTrace(Message):
    """One reply, as the client got it."""

    order: Count
    """Its place among all events of the trace, commands included."""
    at_ns: Nanoseconds
    """When its last byte went to the client, since the trace began."""
    kind: str
    """First character: `+`, `-`, `$`, `*`, ..."""
    size: Count
    """Bytes on the wire."""
    error: str | None = None
    """The message of an error reply."""
    fault: str | None = None
    """The fault that the proxy made of it."""


class CommandTrace(Message):
    """One command, as it arrived from the client."""

    order: Count
    """Its place among all events of the trace."""
    at_ns: Nanoseconds
    """When its last byte arrived, since the trace began."""
    name: str
    arguments: Count
    """How many, not counting the name."""
    sizes: tuple[Count, ...]
    """Bytes of the first sixteen arguments."""
    key: str | None
    """Beginning of the first argument; null if it may be a secret. For HELLO it is the RESP version, for CLIENT the
    subcommand."""
    digest: Count | None
    """Checksum of the arguments; null if they may be a secret."""
    read: PositiveCount
    """Which read of the connection completed it: commands of one read arrived together."""
    outstanding: Count
    """Commands of the workload on its connection that had no reply when it arrived, not counting itself."""
    reply: ReplyTrace | None = None
    """Null: the client never got one."""


class ConnectionTrace(Message):
    """One connection of the client."""

    number: PositiveCount
    """Counted over all connections of the trace, in the order in which they were opened."""
    process: Count
    """Which runner process it came from."""
    opened: Count
    """Its place among all events."""
    opened_ns: Nanoseconds
    closed: Count | None = None
    """Null: open when the trace ended."""
    closed_ns: Nanoseconds | None = None
    closed_by: str | None = None
    """`client`, `server` or `fault`."""
    commands: tuple[CommandTrace, ...] = ()
    unreadable: str | None = None
    """Why its bytes could not be read as RESP from some point on."""


class Mark(Message):
    """A moment between harness and runner."""

    name: str
    """`connect`: the runner may connect. `ready`: it says that it is ready. `go`: a slice is ordered. `end`: the slice
    is answered. `stop`: the runner may close."""
    process: Count
    order: Count
    at_ns: Nanoseconds


class Stall(Message):
    """A moment at which the proxy held replies back for more commands, and none came."""

    process: Count
    order: Count
    outstanding: PositiveCount
    """Commands of the process that were waiting for their replies."""


class Subject(Message):
    """The trial that was recorded."""

    client: str
    scenario: Scenario
    shape: Shape
    workload: str
    commands: tuple[str, ...]
    """The workload's commands; for a transaction, MULTI and EXEC are among them."""


class Trace(Message):
    """Everything that went over the wire in one trial."""

    schema_version: SchemaVersion = SCHEMA_VERSION
    subject: Subject
    began_ns: Nanoseconds = 0
    """On CLOCK_MONOTONIC, as in the events of the contract; the trace's other times count from here."""
    connections: tuple[ConnectionTrace, ...]
    marks: tuple[Mark, ...]
    stalls: tuple[Stall, ...] = ()
    commands_dropped: Count = 0
    """Commands beyond `commands_limit`: they went over the wire and are not in the trace."""
    commands_limit: PositiveCount
    faults: tuple[str, ...] = Field(default=())
    """What the proxy did to the replies."""

    def save(self, path: Path) -> None:
        """Write the trace as JSON, whole or not at all.

        Raises:
            TraceFileError: the file cannot be written.
        """
        try:
            write_whole(path, self.model_dump_json(exclude_defaults=False).encode() + b"\n")
        except OSError as error:
            message = f"the trace cannot be written to {path}: {error.strerror}; name another file with --out"
            raise TraceFileError(message) from error

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a trace.

        Raises:
            TraceFileError: there is no such file, or this version cannot read it.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            message = f"{path} cannot be read: {error.strerror}"
            raise TraceFileError(message) from error
        except ValidationError as error:
            message = f"{path} is not a trace that this version of respmark reads: {error.errors()[0]['msg']}"
            raise TraceFileError(message) from error
