"""How often a case is tried, how much time each try gets, and whether a try got far enough to show anything."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from respmark.conform.observation import Deviation, Observation
from respmark.specs.scenario import commands_per_unit
from respmark.wire.trace import CommandTrace, Mark, ReplyTrace, Trace


@dataclass(frozen=True)
class Allowance:
    """The time that a try gets."""

    more_s: float = 0.0
    """Added to every slice."""
    linger_times: float = 1.0
    """Multiplies how long the proxy waits for commands that other walkers may still send."""


ALLOWANCES: Final = (Allowance(), Allowance(1.0, 2.0), Allowance(3.0, 2.0))
"""One for each try; a case that got far enough is not tried again."""
GAVE_UP_S: Final = 0.9
"""After this long without a reply, a client may have given up by itself: the shortest default timeout of a library is
1 s (StackExchange.Redis 1), and it starts before the command is on the wire. The proxy may hold a reply back for as
long if the commands of other threads come late, one after another."""

AT_WORK_AFTER: Final = frozenset({"connect", "go"})
"""The marks after which a runner is expected to send commands."""


def fell_short(seen: Observation | None, deviations: Iterable[Deviation]) -> bool:
    """Return whether another try may show something else: nothing that was seen contradicts the definition."""
    deviations = tuple(deviations)
    if seen is None or not deviations:
        return False
    is_unfinished = len(deviations) == 1 and (_ran_out_of_time(seen) or _was_cut_off(seen))
    return all(one.absent for one in deviations) or _timed_out(seen, deviations) or _never_began(seen) or is_unfinished


def shown_absent(seen: Observation, deviations: Iterable[Deviation]) -> bool:
    """Return whether what did not happen had every chance to."""
    deviations = tuple(deviations)
    awaited = any(deviation.awaited for deviation in deviations)
    return not _timed_out(seen, deviations) and (awaited or _never_began(seen))


def _never_began(seen: Observation) -> bool:
    """Return whether the client lost its first command: it gave up although the server owed it nothing.

    Seen with StackExchange.Redis 1.2.6, once in some thousand trials, on a busy machine: it connects, is told to send a
    command, and sends none.
    """
    is_answered = all(command.reply for command in _commands(seen.trace))
    return seen.is_target_lost and not seen.ready and not seen.wire.before_window and is_answered


def _ran_out_of_time(seen: Observation) -> bool:
    """Return whether the client gave up within its first unit, worked until then, and got every reply in time.

    Seen with a transaction whose thousand commands wait for each other: in containers, on a heavily overloaded machine,
    a round trip took 13 ms, and the unit longer than the 10 s after which a target counts as lost.
    """
    return (
        seen.is_target_lost
        and 0 < seen.wire.commands < commands_per_unit(seen.scenario, seen.shape)
        and _worked_to_the_end(seen.trace)
        and next(_overdue(seen.trace), None) is None
    )


def _was_cut_off(seen: Observation) -> bool:
    """Return whether the runner was ended for its silence before it was ready, although its client was at work.

    Seen with redis-py, which opened a thousand connections, on a heavily overloaded machine: each took 27 ms.
    """
    return seen.is_hung and not seen.ready and _worked_to_the_end(seen.trace)


def _worked_to_the_end(trace: Trace) -> bool:
    """Return whether commands or replies came until the last connection ended."""
    commands = _commands(trace)
    ends_ns = max((mark.at_ns for mark in trace.marks), default=0)
    ended_ns = max((one.closed_ns or ends_ns for one in trace.connections if one.commands), default=0)
    last_ns = max((command.reply.at_ns if command.reply else command.at_ns for command in commands), default=0)
    return bool(commands) and ended_ns - last_ns < GAVE_UP_S * 1e9


def _timed_out(seen: Observation, deviations: Iterable[Deviation]) -> bool:
    """Return whether the client gave up waiting: it counted errors that nobody sent, and nothing deviated before."""
    waits = chain(_overdue(seen.trace), _came_late(seen.trace))
    first = min((command.order for command in waits), default=None)
    return (
        first is not None
        and _unexplained_errors(seen)
        and not any(one.order is not None and one.order < first for one in deviations if not one.absent)
    )


def _unexplained_errors(seen: Observation) -> bool:
    counted = sum(count for answer in seen.answers for count in answer.errors.values())
    return seen.is_target_lost or counted > seen.wire.errors


def _overdue(trace: Trace) -> Iterator[CommandTrace]:
    """Return the commands that waited so long that a client may give up, in order of arrival."""
    ends_ns = max((mark.at_ns for mark in trace.marks), default=0)
    waited = [
        (command, (command.reply.at_ns if command.reply else connection.closed_ns or ends_ns) - command.at_ns)
        for connection in trace.connections
        for command in connection.commands
    ]
    yield from sorted((command for command, ns in waited if ns >= GAVE_UP_S * 1e9), key=lambda one: one.order)


def _came_late(trace: Trace) -> Iterator[CommandTrace]:
    """Yield the workload's commands that came so long after the event before them that a client may give up meanwhile.

    It does if its command reaches the proxy late, or if it reads a reply late: the machine is busy. Nobody waits before
    `connect`, nor from `ready` or `end` to the next `go`; whoever never sent a command of the workload sent none late.
    """
    commands = _commands(trace)
    replies = [command.reply for command in commands if command.reply]
    events: list[Mark | CommandTrace | ReplyTrace] = [*trace.marks, *commands, *replies]
    is_at_work = False
    for before, event in pairwise(sorted(events, key=lambda one: one.order)):
        if isinstance(before, Mark):
            is_at_work = before.name in AT_WORK_AFTER
        is_late = is_at_work and event.at_ns - before.at_ns >= GAVE_UP_S * 1e9
        if is_late and isinstance(event, CommandTrace) and event.name in trace.subject.commands:
            yield event


def _commands(trace: Trace) -> list[CommandTrace]:
    return [command for connection in trace.connections for command in connection.commands]
