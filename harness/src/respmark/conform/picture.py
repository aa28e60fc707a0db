"""What went over the wire, in words and as a small text picture of requests and replies over time."""

from collections import Counter
from itertools import groupby
from typing import Final

from respmark.conform.shape import Event, SliceSpan, WireShape, events_of, handshakes, slice_spans
from respmark.conform.trace import CommandTrace, Trace

LINES: Final = 40
"""Lines of a picture, unless another number is asked for."""
NAMES_SHOWN: Final = 4
NS_PER_MS: Final = 1e6


def wire_words(wire: WireShape) -> str:
    """Return a wire shape in words: `1 connection, 100 outstanding, 100 per flush, 100 per read`."""
    count = len(wire.carrying)
    blocks = {block.flushes for block in wire.blocks}
    flushes = f", {'/'.join(map(str, sorted(blocks)))} flushes a block" if blocks else ""
    return (
        f"{count} connection{'' if count == 1 else 's'}, {wire.outstanding.most} outstanding, "
        f"{_mean(wire.flush_sizes)} per flush, {_mean(wire.read_sizes)} per read{flushes}"
    )


def _mean(sizes: dict[int, int]) -> str:
    groups = sum(sizes.values())
    mean = sum(size * count for size, count in sizes.items()) / groups if groups else 0.0
    return f"{mean:.0f}" if mean == int(mean) else f"{mean:.1f}"


def picture(trace: Trace, lines: int = LINES, around: int | None = None) -> list[str]:
    """Return the picture of the first process's slice: its beginning, or what lies around the event `around`."""
    spans = slice_spans(trace)
    if not spans:
        return ["nothing was sent"]
    process, span = min(spans.items())
    drawn = _drawn(trace, process, span)
    at = max((place for place, (order, _) in enumerate(drawn) if order <= (around or 0)), default=0)
    first = max(0, at - lines // 2)
    shown = [line for _, line in drawn[first : first + lines]]
    before = [f"          ... {first} earlier lines"] if first else []
    left = len(drawn) - first - len(shown)
    return [*_head(trace, process), *before, *shown, *([f"          ... {left} more lines"] if left > 0 else [])]


def _head(trace: Trace, process: int) -> list[str]:
    words = Counter(", ".join(found.words) for one, found in handshakes(trace) if one.process == process)
    return [*(f"{count} x handshake: {names or 'none'}" for names, count in words.most_common()), ""]


def _drawn(trace: Trace, process: int, span: SliceSpan) -> list[tuple[int, str]]:
    mine = [connection for connection in trace.connections if connection.process == process]
    events = events_of((one.number, [x for x in one.commands if span.holds(x.order)]) for one in mine)
    outstanding, drawn = 0, []
    for _, run in groupby(events, key=lambda event: event.is_reply):
        group = list(run)
        outstanding += sum(event.step for event in group)
        drawn.append((group[0].order, _line(group, events[0].at_ns, outstanding)))
    return drawn


def _line(group: list[Event], began_ns: int, outstanding: int) -> str:
    at = f"{(group[0].at_ns - began_ns) / NS_PER_MS:9.2f} ms"
    connections = {event.connection for event in group}
    where = f"on connection {min(connections)}" if len(connections) == 1 else f"on {len(connections)} connections"
    words = f"<--  {_replies(group)}" if group[0].is_reply else f"-->  {_commands(group)}"
    return f"{at}  {words}, {where}   ({outstanding} outstanding)"


def _commands(group: list[Event]) -> str:
    reads = len({(event.connection, event.command.read) for event in group})
    counted = "1 command" if len(group) == 1 else f"{len(group)} commands in {reads} read{'' if reads == 1 else 's'}"
    return f"{counted}: {_names([event.command for event in group])}"


def _names(commands: list[CommandTrace]) -> str:
    if len(commands) == 1:
        return " ".join(filter(None, (commands[0].name, commands[0].key)))
    runs = [(name, len(list(run))) for name, run in groupby(command.name for command in commands)]
    shown = [name if count == 1 else f"{count} {name}" for name, count in runs[:NAMES_SHOWN]]
    return ", ".join([*shown, *(["..."] if len(runs) > NAMES_SHOWN else [])])


def _replies(group: list[Event]) -> str:
    replies = [event.command.reply for event in group if event.command.reply is not None]
    error, tampering = (
        next(filter(None, found), None) for found in zip(*((x.error, x.tampering) for x in replies), strict=True)
    )
    words = f"{len(group)} repl{'y' if len(group) == 1 else 'ies'}, {sum(reply.size for reply in replies):,} bytes"
    return words + (f", error: {error}" if error else "") + (f" [{tampering}]" if tampering else "")
