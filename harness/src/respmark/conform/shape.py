"""The shape of what went over the wire in one slice: a pure function of a trace."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise, takewhile
from typing import Final, NamedTuple

from respmark.conform.trace import CommandTrace, ConnectionTrace, Trace

BLOCK: Final = frozenset({"MULTI", "EXEC", "DISCARD"})
"""What a transaction sends besides its commands."""
RESP2: Final = 2
"""What every connection speaks at first."""
BEYOND: Final = 2**62


class Event(NamedTuple):
    """A command that arrived, or the reply to it that went out."""

    order: int
    at_ns: int
    is_reply: bool
    connection: int
    command: CommandTrace

    @property
    def step(self) -> int:
        """Return by how much it changes the number of commands without a reply."""
        return -1 if self.is_reply else 1


class Peak(NamedTuple):
    """The most of something at once, and the event with which there first were as many."""

    most: int = 0
    order: int | None = None


class WireHandshake(NamedTuple):
    """What a connection sent before the workload's first command."""

    words: tuple[str, ...]
    """`HELLO 3`, `CLIENT SETINFO`, `AUTH`."""
    protocol: int
    """RESP version that it spoke from then on: 2 unless a HELLO succeeded."""


class SliceSpan(NamedTuple):
    """Where one process's slice lies in the order of events; a missing mark means the trace's beginning or end."""

    go: int
    end: int

    def holds(self, order: int) -> bool:
        """Return whether an event lies in the slice."""
        return self.go < order < self.end


@dataclass(frozen=True)
class Block:
    """One transaction on the wire."""

    commands: int
    """Between MULTI and EXEC."""
    flushes: int
    """How many flushes it took, MULTI and EXEC among them."""
    most_outstanding: int
    """The most of its commands that waited for a reply at once."""
    complete: bool
    """MULTI came first and EXEC last, with no other MULTI in between."""
    answered: bool
    """The client got EXEC's reply, and it was not an error."""


class WireShape:
    """What one slice looked like on the wire; the first one has number 0."""

    def __init__(self, trace: Trace, number: int = 0) -> None:
        self.trace = trace
        self.public = frozenset(trace.subject.commands)
        """The workload's commands, MULTI and EXEC among them."""
        self.slice_spans = slice_spans(trace, number)
        self.inside = {
            one.number: [x for x in one.commands if x.name in self.public and self.span_of(one).holds(x.order)]
            for one in trace.connections
        }
        """These commands in the slice, by connection."""

    def span_of(self, connection: ConnectionTrace) -> SliceSpan:
        """Return the span of the slice in a connection's process."""
        return self.slice_spans[connection.process]

    @cached_property
    def carrying(self) -> list[ConnectionTrace]:
        """Return the connections that carried one of these commands in the slice."""
        return [one for one in self.trace.connections if self.inside[one.number]]

    @cached_property
    def _by_process(self) -> dict[int, list[Event]]:
        return {
            process: events_of((one.number, self.inside[one.number]) for one in self.carrying if one.process == process)
            for process in self.slice_spans
        }

    @cached_property
    def _by_connection(self) -> list[list[Event]]:
        return [events_of([one]) for one in self.inside.items()]

    @cached_property
    def sent(self) -> dict[int, list[CommandTrace]]:
        """Return the commands by process, in order of arrival, without MULTI and EXEC."""
        return {
            process: [one.command for one in events if not one.is_reply and one.command.name not in BLOCK]
            for process, events in self._by_process.items()
        }

    @cached_property
    def everything(self) -> list[CommandTrace]:
        """Return the commands of all processes, without MULTI and EXEC."""
        return [command for commands in self.sent.values() for command in commands]

    @property
    def open_most(self) -> int:
        """Return the most connections that were open at once in the slice, summed over processes."""
        return sum(_peak(self._openings(process, span)).most for process, span in self.slice_spans.items())

    @cached_property
    def outstanding(self) -> Peak:
        """Return the most commands of one process without a reply, over all its connections."""
        return max(map(_outstanding, self._by_process.values()), default=Peak())

    @property
    def outstanding_per_connection(self) -> Peak:
        """Return the most commands of one connection without a reply."""
        return max(map(_outstanding, self._by_connection), default=Peak())

    @property
    def slides(self) -> bool:
        """Return whether a command ever followed a single reply that went out while the most were outstanding."""
        return any(
            before == self.outstanding.most and reply.is_reply and not after.is_reply
            for events in self._by_process.values()
            for before, (reply, after) in zip(
                accumulate((one.step for one in events), initial=0), pairwise(events), strict=False
            )
        )

    @property
    def flush_sizes(self) -> dict[int, int]:
        """Return how many flushes (with no reply delivered in between) had how many commands, MULTI and EXEC too."""
        return _sizes(flush for events in self._by_connection for flush in _flushes(events))

    @property
    def read_sizes(self) -> dict[int, int]:
        """Return how many reads of a connection completed how many commands."""
        return _sizes(list(run) for one in self.inside.values() for _, run in groupby(one, key=lambda x: x.read))

    @cached_property
    def blocks(self) -> list[Block]:
        """Return the transactions, connection by connection."""
        if "MULTI" not in self.public:
            return []
        return [_block(commands) for one in self.inside.values() for commands in _cut_blocks(one)]

    @property
    def handshake(self) -> tuple[str, ...]:
        """Return the most common handshake."""
        every = Counter(handshake.words for _, handshake in handshakes(self.trace))
        return every.most_common(1)[0][0] if every else ()

    def _openings(self, process: int, span: SliceSpan) -> Iterator[tuple[int, int]]:
        """Yield when connections open and close; one that closes makes room before the next one opens.

        A connection counts from its first command on: the end of one and the beginning of the next reach the proxy on
        two sockets, in either order, but nothing is sent on the next one before the end of the first has arrived.
        """
        for one in self.trace.connections:
            began = max(one.commands[0].order if one.commands else one.opened, span.go)
            closed = one.closed or BEYOND
            if one.process == process and span.go < closed and began < span.end:
                yield from ((began, 1), (closed, -1))


def slice_spans(trace: Trace, number: int = 0) -> dict[int, SliceSpan]:
    """Return where a slice lies in each process; the first one has number 0."""

    def order(name: str, process: int, missing: int) -> int:
        orders = [mark.order for mark in trace.marks if (mark.name, mark.process) == (name, process)]
        return orders[number] if number < len(orders) else missing

    processes = {one.process for one in trace.connections} | {mark.process for mark in trace.marks}
    return {one: SliceSpan(order("go", one, 0), order("end", one, BEYOND)) for one in sorted(processes)}


def events_of(connections: Iterable[tuple[int, Sequence[CommandTrace]]]) -> list[Event]:
    """Return the arrivals of connections' commands and of their replies, in order."""
    events = []
    for number, commands in connections:
        for command in commands:
            events.append(Event(command.order, command.at_ns, is_reply=False, connection=number, command=command))
            if (reply := command.reply) is not None:
                events.append(Event(reply.order, reply.at_ns, is_reply=True, connection=number, command=command))
    return sorted(events, key=lambda event: event.order)


def _peak(changes: Iterable[tuple[int, int]]) -> Peak:
    ordered = sorted(changes)
    levels = accumulate(step for _, step in ordered)
    return max(map(Peak, levels, (order for order, _ in ordered)), key=lambda peak: peak.most, default=Peak())


def _outstanding(events: Iterable[Event]) -> Peak:
    return _peak((event.order, event.step) for event in events)


def _flushes(events: Iterable[Event]) -> Iterator[list[Event]]:
    for is_reply, run in groupby(events, key=lambda event: event.is_reply):
        if not is_reply:
            yield list(run)


def _sizes(groups: Iterable[Sequence[object]]) -> dict[int, int]:
    return dict(sorted(Counter(map(len, groups)).items()))


def _cut_blocks(commands: Iterable[CommandTrace]) -> Iterator[list[CommandTrace]]:
    block: list[CommandTrace] = []
    for command in commands:
        if block and (command.name == "MULTI" or block[-1].name in {"EXEC", "DISCARD"}):
            yield block
            block = []
        if command.name == "MULTI" or block:
            block.append(command)
    if block:
        yield block


def _block(commands: list[CommandTrace]) -> Block:
    names, events, last = [command.name for command in commands], events_of([(0, commands)]), commands[-1]
    return Block(
        commands=sum(name not in BLOCK for name in names),
        flushes=sum(1 for _ in _flushes(events)),
        most_outstanding=_outstanding(events).most,
        complete=names[0] == "MULTI" and names[-1] == "EXEC",
        answered=last.name == "EXEC" and last.reply is not None and last.reply.error is None,
    )


def handshakes(trace: Trace) -> list[tuple[ConnectionTrace, WireHandshake]]:
    """Return the handshake of every connection that carried commands of the workload."""
    public = frozenset(trace.subject.commands)
    sent = [(one, list(takewhile(lambda x: x.name not in public, one.commands))) for one in trace.connections]
    return [(one, _handshake(commands)) for one, commands in sent if len(commands) < len(one.commands)]


def _handshake(commands: list[CommandTrace]) -> WireHandshake:
    words = tuple(" ".join(filter(None, (one.name, (one.key or "").upper()))) for one in commands)
    greeted = [one.key for one in commands if one.name == "HELLO" and one.reply is not None and one.reply.error is None]
    versions = [int(key) for key in greeted if key]
    return WireHandshake(words, versions[-1] if versions else RESP2)
