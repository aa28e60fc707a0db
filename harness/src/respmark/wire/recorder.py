"""Notes what goes over the wire as it happens, in bounded memory."""

import re
import time
from dataclasses import dataclass, field
from typing import Final

from respmark.wire.replies import Reply
from respmark.wire.requests import Request
from respmark.wire.trace import CommandTrace, ConnectionTrace, Mark, ReplyTrace, Stall, Subject, Trace

HANDSHAKE_WORDS: Final = {
    "HELLO": re.compile(rb"[0-9]{1,2}"),
    "CLIENT": re.compile(rb"[A-Za-z-]{1,20}"),
}
"""For commands whose arguments may be secret: first arguments that are not (the RESP version, the subcommand)."""
COMMANDS_LIMIT: Final = 200_000
"""Commands that a trace holds, about 100 MB; later ones are passed on and counted, but not recorded."""


@dataclass(slots=True)
class Command:
    """A command under way."""

    connection: int
    """The number of its connection."""
    order: int
    at_ns: int
    request: Request
    secret: bool
    read: int
    outstanding: int
    reply: ReplyTrace | None = None
    released: bool = True
    """False: its reply is held back."""

    def freeze(self) -> CommandTrace:
        """Return the record."""
        request = self.request
        return CommandTrace(
            order=self.order,
            at_ns=self.at_ns,
            name=request.name,
            arguments=request.arguments,
            sizes=() if self.secret else request.sizes,
            key=request.head.decode("utf-8", "replace") if request.arguments and self._may_show() else None,
            digest=None if self.secret else request.digest,
            read=self.read,
            outstanding=self.outstanding,
            reply=self.reply,
        )

    def _may_show(self) -> bool:
        """Return whether the beginning of the first argument is known to contain no secret."""
        known = HANDSHAKE_WORDS.get(self.request.name)
        return not self.secret or (known is not None and known.fullmatch(self.request.head) is not None)


@dataclass(slots=True)
class Connection:
    """A connection under way."""

    number: int
    process: int
    opened: int
    opened_ns: int
    closed: int | None = None
    closed_ns: int | None = None
    closed_by: str | None = None
    unreadable: str | None = None
    commands: list[Command] = field(default_factory=list)

    def freeze(self) -> ConnectionTrace:
        """Return the record."""
        return ConnectionTrace(
            number=self.number,
            process=self.process,
            opened=self.opened,
            opened_ns=self.opened_ns,
            closed=self.closed,
            closed_ns=self.closed_ns,
            closed_by=self.closed_by,
            unreadable=self.unreadable,
            commands=tuple(command.freeze() for command in self.commands),
        )


class Recorder:
    """All connections of one trial; every event gets a place in one common order."""

    def __init__(self, subject: Subject, limit: int = COMMANDS_LIMIT) -> None:
        self.subject = subject
        self._limit = limit
        self._began_ns = time.monotonic_ns()
        self._order = 0
        self._recorded = 0
        self._dropped = 0
        self._connections: list[Connection] = []
        self._marks: list[Mark] = []
        self._stalls: list[Stall] = []
        self._faults: list[str] = []
        # Only the workload's own commands are known to contain no secret.
        self._public = frozenset(subject.commands)

    def opened(self, process: int) -> Connection:
        """Note a new connection."""
        order, at_ns = self._now()
        connection = Connection(len(self._connections) + 1, process, order, at_ns)
        self._connections.append(connection)
        return connection

    def closed(self, connection: Connection, by: str) -> None:
        """Note who closed a connection; the first one counts."""
        if connection.closed is None:
            connection.closed, connection.closed_ns = self._now()
            connection.closed_by = by

    def arrived(self, connection: Connection, request: Request, read: int, outstanding: int) -> Command:
        """Note a command."""
        order, at_ns = self._now()
        command = Command(connection.number, order, at_ns, request, request.name not in self._public, read, outstanding)
        if self._recorded < self._limit:
            self._recorded += 1
            connection.commands.append(command)
        else:
            self._dropped += 1
        return command

    def delivered(self, command: Command, reply: Reply, fault: str | None = None) -> None:
        """Note that the client has a command's reply."""
        order, at_ns = self._now()
        error = reply.text if reply.is_error else None
        command.reply = ReplyTrace(order=order, at_ns=at_ns, kind=reply.kind, size=reply.size, error=error, fault=fault)

    def mark(self, name: str, process: int) -> None:
        """Note a moment between harness and runner."""
        order, at_ns = self._now()
        self._marks.append(Mark(name=name, process=process, order=order, at_ns=at_ns))

    def stalled(self, process: int, outstanding: int) -> None:
        """Note that the client waits for replies before it sends more."""
        order, _ = self._now()
        self._stalls.append(Stall(process=process, order=order, outstanding=outstanding))

    def fault(self, what: str) -> None:
        """Note what the proxy did to a reply."""
        self._faults.append(what)

    def freeze(self) -> Trace:
        """Return the trace so far."""
        return Trace(
            subject=self.subject,
            began_ns=self._began_ns,
            connections=tuple(connection.freeze() for connection in self._connections),
            marks=tuple(self._marks),
            stalls=tuple(self._stalls),
            commands_dropped=self._dropped,
            commands_limit=self._limit,
            faults=tuple(self._faults),
        )

    def _now(self) -> tuple[int, int]:
        self._order += 1
        return self._order, time.monotonic_ns() - self._began_ns
