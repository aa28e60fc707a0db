"""The shape of what went over the wire: a pure function of a trace."""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise, takewhile
from statistics import mean
from typing import Final

from respmark.contract.base import Count, Message
from respmark.wire.trace import CommandTrace, ConnectionTrace, Trace

BLOCK = frozenset({"MULTI", "EXEC", "DISCARD"})
"""What a transaction sends besides its commands."""
RESP2: Final = 2
"""What every connection speaks at first."""


class Block(Message):
    """One transaction on the wire."""

    commands: Count
    """Between MULTI and EXEC."""
    flushes: Count
    """How many flushes it took, MULTI and EXEC among them."""
    most_outstanding: Count
    """The most of its commands that waited for a reply at once."""
    complete: bool
    """MULTI came first and EXEC last, with no other MULTI in between."""
    answered: bool
    """The client got EXEC's reply, and it was not an error."""


class WireShape(Message):
    """What one window looked like on the wire."""

    connections: Count
    """Those that carried a command of the workload in the window."""
    connections_opened: Count
    """Opened in the window."""
    connections_open_most: Count
    """The most that were open at once in the window, for each process, summed over processes."""
    connections_open_at_end: Count
    """Open when the slice's answer had arrived, summed over processes."""
    commands: Count
    """Commands of the workload in the window, without MULTI and EXEC."""
    outstanding_most: Count
    """The most commands of one process without a reply, over all its connections."""
    outstanding_most_per_connection: Count
    outstanding_mean_per_connection: float
    """When a command arrives, itself included; mean over commands."""
    flush_sizes: dict[int, Count]
    """Commands per flush, and how many flushes had that many. A flush is what came over a connection with no reply
    delivered in between; MULTI and EXEC count."""
    replies_between: dict[int, Count]
    """Replies delivered on a connection between the beginnings of two flushes, and how often there were that many."""
    read_sizes: dict[int, Count]
    """Commands that one read of a connection completed, and how many reads completed that many."""
    commands_per_connection_most: Count
    """The most commands of the workload that one connection carried in the window."""
    blocks: tuple[Block, ...]
    """Transactions, in the order of their MULTI."""
    before_window: Count
    """Commands of the workload before `ready`: verification."""
    between_ready_and_go: Count
    after_window: Count
    """Commands of the workload after the slice's answer."""
    handshake: tuple[str, ...]
    """The most common handshake before the workload's first command: `HELLO 3`, `CLIENT SETINFO`."""
    unexpected: dict[str, Count]
    """Commands in the window that are neither the workload's nor a connection's handshake, by name."""
    errors: Count
    """Error replies that the client got in the window."""
    unanswered: Count
    """Commands of the workload in the window that never got a reply."""

    @property
    def commands_per_flush(self) -> float:
        """Return the mean number of commands per flush."""
        return _mean_of(self.flush_sizes)

    @property
    def commands_per_read(self) -> float:
        """Return the mean number of commands per read."""
        return _mean_of(self.read_sizes)


@dataclass(frozen=True)
class Window:
    """Where one process's window lies in the order of events; a missing mark means the trace's beginning or end."""

    ready: int
    go: int
    end: int

    def holds(self, order: int) -> bool:
        """Return whether an event lies in the window."""
        return self.go < order < self.end


def windows(trace: Trace) -> dict[int, Window]:
    """Return each process's window."""
    beyond = 2**62
    found: dict[int, dict[str, int]] = {connection.process: {} for connection in trace.connections}
    for mark in trace.marks:
        found.setdefault(mark.process, {})[mark.name] = mark.order
    return {
        process: Window(marks.get("ready", 0), marks.get("go", 0), marks.get("end", beyond))
        for process, marks in found.items()
    }


def shape_of(trace: Trace) -> WireShape:
    """Return the shape of a trace's windows."""
    spans = windows(trace)
    public = frozenset(trace.subject.commands)
    inside = {c.number: [x for x in c.commands if spans[c.process].holds(x.order)] for c in trace.connections}
    carried = {number: [x for x in commands if x.name in public] for number, commands in inside.items()}
    flushes = [flush for commands in carried.values() for flush in flushes_of(commands)]
    everything = [command for commands in carried.values() for command in commands]
    workload = [command for command in everything if command.name not in BLOCK]
    return WireShape(
        connections=sum(bool(commands) for commands in carried.values()),
        connections_opened=sum(spans[c.process].holds(c.opened) for c in trace.connections),
        connections_open_most=sum(_most_open(trace, process, span) for process, span in spans.items()),
        connections_open_at_end=sum(_open_at(c, spans[c.process].end) for c in trace.connections),
        commands=len(workload),
        outstanding_most=max((_most_outstanding(trace, process, span) for process, span in spans.items()), default=0),
        outstanding_most_per_connection=max((x.outstanding + 1 for x in everything), default=0),
        outstanding_mean_per_connection=mean(x.outstanding + 1 for x in everything) if everything else 0.0,
        flush_sizes=_sizes(flushes),
        replies_between=dict(sorted(Counter(n for c in carried.values() for n in _replies_between(c)).items())),
        read_sizes=_sizes([list(run) for c in carried.values() for _, run in groupby(c, key=lambda x: x.read)]),
        commands_per_connection_most=max(
            (sum(x.name not in BLOCK for x in commands) for commands in carried.values()), default=0
        ),
        blocks=tuple(_blocks(trace, carried)),
        before_window=_count(trace, public, lambda order, span: order < span.ready),
        between_ready_and_go=_count(trace, public, lambda order, span: span.ready <= order < span.go),
        after_window=_count(trace, public, lambda order, span: order > span.end),
        handshake=_handshake(trace, public),
        unexpected=_unexpected(trace, public),
        errors=sum(x.reply is not None and x.reply.error is not None for x in everything),
        unanswered=sum(x.reply is None for x in workload),
    )


def flushes_of(commands: Sequence[CommandTrace]) -> Iterator[list[CommandTrace]]:
    """Cut one connection's commands into flushes: a new flush begins if a reply came since the last one began."""
    replies = sorted(command.reply.order for command in commands if command.reply is not None)
    flush: list[CommandTrace] = []
    for command in commands:
        if flush and bisect(replies, flush[0].order) != bisect(replies, command.order):
            yield flush
            flush = []
        flush.append(command)
    if flush:
        yield flush


def _replies_between(commands: Sequence[CommandTrace]) -> Iterator[int]:
    replies = sorted(command.reply.order for command in commands if command.reply is not None)
    begins = [flush[0].order for flush in flushes_of(commands)]
    for begin, following in pairwise(begins):
        yield bisect(replies, following) - bisect(replies, begin)


def _sizes(groups: Iterable[Sequence[CommandTrace]]) -> dict[int, int]:
    return dict(sorted(Counter(len(group) for group in groups).items()))


def _mean_of(sizes: dict[int, int]) -> float:
    groups = sum(sizes.values())
    return sum(size * count for size, count in sizes.items()) / groups if groups else 0.0


def _count(trace: Trace, public: frozenset[str], when: Callable[[int, Window], bool]) -> int:
    spans = windows(trace)
    return sum(
        command.name in public - BLOCK and when(command.order, spans[connection.process])
        for connection in trace.connections
        for command in connection.commands
    )


def _most_open(trace: Trace, process: int, span: Window) -> int:
    """Return the most connections that were open at once; one that closes makes room before the next one opens.

    A connection counts from its first command on: the end of one and the beginning of the next reach the proxy on two
    sockets, in either order, but nothing is sent on the next one before the end of the first has arrived.
    """
    changes: list[tuple[int, int]] = []
    for connection in trace.connections:
        if connection.process == process and (connection.closed is None or connection.closed > span.go):
            began = connection.commands[0].order if connection.commands else connection.opened
            changes.append((max(began, span.go), 1))
            changes.append((connection.closed or span.end, -1))
    return _highest([change for change in changes if change[0] < span.end])


def _open_at(connection: ConnectionTrace, order: int) -> bool:
    return connection.opened < order and (connection.closed is None or connection.closed > order)


def _most_outstanding(trace: Trace, process: int, span: Window) -> int:
    public = frozenset(trace.subject.commands)
    changes: list[tuple[int, int]] = []
    for connection in trace.connections:
        for command in connection.commands if connection.process == process else ():
            if command.name in public and span.holds(command.order):
                ended = command.reply.order if command.reply else connection.closed
                changes += [(command.order, 1), (ended or span.end, -1)]
    return _highest(changes)


def _highest(changes: list[tuple[int, int]]) -> int:
    return max(accumulate(step for _, step in sorted(changes)), default=0)


def _blocks(trace: Trace, carried: dict[int, list[CommandTrace]]) -> Iterator[Block]:
    if "MULTI" in trace.subject.commands:
        found = [block for commands in carried.values() for block in _cut_blocks(commands)]
        for block in sorted(found, key=lambda commands: commands[0].order):
            yield _block(block)


def _cut_blocks(commands: list[CommandTrace]) -> Iterator[list[CommandTrace]]:
    block: list[CommandTrace] = []
    for command in commands:
        if command.name == "MULTI":
            if block:
                yield block
            block = [command]
        elif block:
            block.append(command)
        if command.name in {"EXEC", "DISCARD"} and block:
            yield block
            block = []
    if block:
        yield block


def _block(commands: list[CommandTrace]) -> Block:
    names = [command.name for command in commands]
    return Block(
        commands=sum(name not in BLOCK for name in names),
        flushes=sum(1 for _ in flushes_of(commands)),
        most_outstanding=max(command.outstanding + 1 for command in commands),
        complete=names[0] == "MULTI" and names[-1] == "EXEC" and len(names) > 1,
        answered=names[-1] == "EXEC" and commands[-1].reply is not None and commands[-1].reply.error is None,
    )


def handshake_of(connection: ConnectionTrace, public: frozenset[str]) -> list[CommandTrace]:
    """Return what a connection sent before the workload's first command."""
    return list(takewhile(lambda command: command.name not in public, connection.commands))


def handshake_words(connection: ConnectionTrace, public: frozenset[str]) -> tuple[str, ...]:
    """Return the handshake in words: `HELLO 3`, `CLIENT SETINFO`, `AUTH`."""
    return tuple(
        " ".join(filter(None, (command.name, (command.key or "").upper())))
        for command in handshake_of(connection, public)
    )


def protocol_of(connection: ConnectionTrace, public: frozenset[str]) -> int:
    """Return the RESP version that a connection spoke at the workload's first command: 2 unless a HELLO succeeded."""
    asked = [
        int(command.key)
        for command in handshake_of(connection, public)
        if command.name == "HELLO" and command.key and command.reply is not None and command.reply.error is None
    ]
    return asked[-1] if asked else RESP2


def _handshake(trace: Trace, public: frozenset[str]) -> tuple[str, ...]:
    every = Counter(
        handshake_words(connection, public)
        for connection in trace.connections
        if any(command.name in public for command in connection.commands)
    )
    return every.most_common(1)[0][0] if every else ()


def _unexpected(trace: Trace, public: frozenset[str]) -> dict[str, int]:
    spans = windows(trace)
    names = (
        command.name
        for connection in trace.connections
        for command in connection.commands[len(handshake_of(connection, public)) :]
        if command.name not in public and spans[connection.process].holds(command.order)
    )
    return dict(Counter(names))
