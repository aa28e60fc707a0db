"""The trace: what went over the wire in one trial, noted as it happens, in bounded memory."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from respmark.contract.trial import Scenario, Shape
from respmark.files import write_out_file
from respmark.network.resp import digest_of, error_of

HANDSHAKE_WORDS: Final = {
    "HELLO": re.compile(rb"[0-9]{1,2}"),
    "CLIENT": re.compile(rb"[A-Za-z_-]{1,20}"),
}
"""For commands whose arguments may be secret: first arguments that are not (the RESP version, the subcommand)."""
SIZES_KEPT: Final = 16
"""Of the sizes of a command's arguments."""
HEAD_KEPT: Final = 64
"""Bytes kept of a command's name and of its first argument."""
COMMANDS_LIMIT: Final = 200_000
"""Commands that a trace holds, about 100 MB; later ones are passed on and counted, but not recorded."""


@dataclass(slots=True)
class ReplyTrace:
    """One reply, as the client got it."""

    order: int
    """Its place among all events of the trace, commands included."""
    at_ns: int
    """When it went to the client, since the trace began."""
    kind: str
    """First character: `+`, `-`, `$`, `*`, ..."""
    size: int
    """Bytes on the wire."""
    error: str | None = None
    """The message of an error reply."""
    tampering: str | None = None
    """How the proxy tampered with it."""


@dataclass(slots=True)
class CommandTrace:
    """One command, as it arrived from the client."""

    order: int
    """Its place among all events of the trace."""
    at_ns: int
    """When its last byte arrived, since the trace began."""
    name: str
    sizes: tuple[int, ...]
    """Bytes of the first sixteen arguments."""
    key: str | None
    """Beginning of the first argument; null if it may be a secret. For HELLO it is the RESP version, for CLIENT the
    subcommand."""
    digest: int | None
    """Checksum of the arguments; null if they may be a secret."""
    read: int
    """Which read of the connection completed it: commands of one read arrived together."""
    reply: ReplyTrace | None = None
    """Null: the client never got one."""


@dataclass(slots=True)
class ConnectionTrace:
    """One connection of the client."""

    number: int
    """Counted over all connections of the trace, in the order in which they were opened."""
    process: int
    """Which runner process it came from."""
    opened: int
    """Its place among all events."""
    opened_ns: int
    closed: int | None = None
    """Null: open when the trace ended."""
    closed_ns: int | None = None
    closed_by: str | None = None
    """`client`, `server` or `proxy`."""
    commands: list[CommandTrace] = field(default_factory=list)
    unreadable: str | None = None
    """Why its bytes could not be read as RESP from some point on."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment between harness and runner."""

    name: str
    """`connect`: the runner may connect. `ready`: it says that it is ready. `go`: a slice is ordered. `end`: the slice
    is answered. `stop`: the runner may close."""
    process: int
    order: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Stall:
    """A moment at which the proxy held replies back for more commands, and none came."""

    process: int
    order: int
    outstanding: int
    """Commands of the process that were waiting for their replies."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The trial that was recorded."""

    client: str
    scenario: Scenario
    shape: Shape
    workload: str
    commands: tuple[str, ...]
    """The workload's commands; for a transaction, MULTI and EXEC are among them."""


@dataclass(slots=True)
class Trace:
    """Everything that went over the wire in one trial."""

    subject: Subject
    began_ns: int
    """On CLOCK_MONOTONIC, as in the contract; the trace's other times count from here."""
    connections: list[ConnectionTrace] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    stalls: list[Stall] = field(default_factory=list)
    commands_dropped: int = 0
    """Commands beyond the first 200,000: they went over the wire and are not in the trace."""
    tampered: list[str] = field(default_factory=list)
    """What the proxy did to the replies."""

    @property
    def commands(self) -> list[CommandTrace]:
        """Return the commands of all connections."""
        return [command for connection in self.connections for command in connection.commands]

    def save(self, path: Path) -> None:
        """Write the trace as JSON, whole or not at all; raises OutputError if the file cannot be written."""
        write_out_file(path, TypeAdapter(Trace).dump_json(self) + b"\n")


class TraceRecorder:
    """Notes one trial's events; each gets a place in one common order."""

    def __init__(self, subject: Subject, limit: int = COMMANDS_LIMIT) -> None:
        self.trace = Trace(subject, time.monotonic_ns())
        self._room = limit
        self._order = 0
        # Only the workload's own commands are known to contain no secret.
        self._public = frozenset(subject.commands)

    def opened(self, process: int) -> ConnectionTrace:
        """Note a new connection."""
        connection = ConnectionTrace(len(self.trace.connections) + 1, process, *self._now())
        self.trace.connections.append(connection)
        return connection

    def closed(self, connection: ConnectionTrace, by: str) -> None:
        """Note who closed a connection; the first one counts."""
        if connection.closed is None:
            connection.closed, connection.closed_ns = self._now()
            connection.closed_by = by

    def arrived(self, connection: ConnectionTrace, words: Sequence[bytes], read: int) -> CommandTrace:
        """Note a command."""
        order, at_ns = self._now()
        name, arguments = words[0][:HEAD_KEPT].decode("ascii", "replace").upper(), words[1:]
        head, is_public = arguments[0][:HEAD_KEPT] if arguments else b"", name in self._public
        may_show = is_public or (name in HANDSHAKE_WORDS and HANDSHAKE_WORDS[name].fullmatch(head))
        command = CommandTrace(
            order=order,
            at_ns=at_ns,
            name=name,
            sizes=tuple(map(len, arguments[:SIZES_KEPT])) if is_public else (),
            key=head.decode("utf-8", "replace") if arguments and may_show else None,
            digest=digest_of(arguments) if is_public else None,
            read=read,
        )
        if self._room:
            self._room -= 1
            connection.commands.append(command)
        else:
            self.trace.commands_dropped += 1
        return command

    def delivered(self, command: CommandTrace, reply: bytes, tampering: str | None = None) -> None:
        """Note that the client has a command's reply."""
        command.reply = ReplyTrace(*self._now(), chr(reply[0]), len(reply), error_of(reply), tampering)

    def mark(self, name: str, process: int) -> None:
        """Note a moment between harness and runner."""
        self.trace.marks.append(Mark(name, process, *self._now()))

    def stalled(self, process: int, outstanding: int) -> None:
        """Note that the client waits for replies before it sends more."""
        self.trace.stalls.append(Stall(process, self._now()[0], outstanding))

    def _now(self) -> tuple[int, int]:
        self._order += 1
        return self._order, time.monotonic_ns() - self.trace.began_ns
