"""The definitions of the scenarios, as rules about what a trial showed on the wire."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from respmark.conform.holds import goal_of
from respmark.conform.observation import Deviation, Observation
from respmark.contract.trial import Form, Scenario, Window
from respmark.wire.hold import STALLS_WITH_PATIENCE
from respmark.wire.shape import Window as Span
from respmark.wire.shape import windows

TRACKING: Final = "CLIENT TRACKING"
Rule = Callable[[Observation], Iterator[Deviation]]


def deviations(seen: Observation) -> list[Deviation]:
    """Return everything that is not as the scenario's definition says."""
    return [deviation for rule in RULES[seen.scenario] for deviation in rule(seen)]


def one_connection(seen: Observation) -> Iterator[Deviation]:
    """Each process uses one connection."""
    if seen.wire.connections != seen.shape.processes:
        yield Deviation(
            f"{_many(seen.shape.processes, 'connection')}, one a process", f"{seen.wire.connections} carried commands"
        )


def nothing_opened(seen: Observation) -> Iterator[Deviation]:
    """Every connection that the window needs was opened before it."""
    if seen.wire.connections_opened:
        yield Deviation("no connection opened in the window", f"{seen.wire.connections_opened} were")


def alone_on_connection(seen: Observation) -> Iterator[Deviation]:
    """No command is sent while another one on the same connection waits for its reply."""
    most = seen.wire.outstanding_most_per_connection
    if most > 1:
        yield Deviation(
            "at most 1 command outstanding on a connection",
            f"{most} were at once",
            _first_beyond(seen, per_connection=1),
        )


def up_to_goal(seen: Observation) -> Iterator[Deviation]:
    """At most as many commands are outstanding as the shape says, and at some point exactly as many."""
    goal, most = goal_of(seen.scenario, seen.shape), seen.wire.outstanding_most
    asked = f"{_many(goal, 'command')} outstanding at most, and at some time as many"
    if most > goal:
        yield Deviation(asked, f"{most} were outstanding at once", _first_beyond(seen, total=goal))
    elif most < goal:
        # A slice has at least one unit, so more time would not help if no command came at all.
        yield _absent(seen, asked, f"never more than {most}: the client waited for replies", more_may_come=most > 0)


def never_stalled(seen: Observation) -> Iterator[Deviation]:
    """Every unit is sent completely before a reply is needed."""
    goal = goal_of(seen.scenario, seen.shape)
    for stall in seen.trace.stalls:
        yield Deviation(
            f"{goal} commands without reading a reply",
            f"the client waited for replies after {stall.outstanding}",
            stall.order,
        )
        return


def window_slides(seen: Observation) -> Iterator[Deviation]:
    """For each reply, one command follows while the others are still in flight."""
    refills = _refills(seen)
    if not refills:
        asked = f"a command sent for each reply while {goal_of(seen.scenario, seen.shape) - 1} others wait"
        yield _absent(seen, asked, "no command was sent until more replies came")


def flushes_of_depth(seen: Observation) -> Iterator[Deviation]:
    """Every batch is one flush: no reply comes in between, and none before the batch is complete."""
    depth = seen.shape.depth or 1
    if others := {size: count for size, count in seen.wire.flush_sizes.items() if size != depth}:
        listed = ", ".join(f"{count} of {size}" for size, count in others.items())
        yield Deviation(f"flushes of {_many(depth, 'command')}", f"others, too: {listed}")


def blocks_of_depth(seen: Observation) -> Iterator[Deviation]:
    """Every command is in a block of MULTI, `depth` commands and EXEC; none is outside."""
    depth = seen.shape.depth or 1
    for block in seen.wire.blocks:
        if not block.complete or block.commands != depth:
            inside = f"{'' if block.complete else 'an incomplete block of '}{_many(block.commands, 'command')}"
            yield Deviation(f"MULTI, {_many(depth, 'command')}, EXEC", inside)
            break
    outside = seen.wire.commands - sum(block.commands for block in seen.wire.blocks)
    if outside:
        yield Deviation("every command between MULTI and EXEC", f"{outside} outside")


def blocks_travel(seen: Observation) -> Iterator[Deviation]:
    """`queued`: each command is its own round trip. `batched`: all at once, MULTI and EXEC with them or separately."""
    depth = seen.shape.depth or 1
    found = [block.most_outstanding for block in seen.wire.blocks]
    if seen.shape.form is Form.QUEUED and found and max(found) > 1:
        yield Deviation("each command of the transaction its own round trip", f"{max(found)} were outstanding at once")
    if seen.shape.form is Form.BATCHED and found and min(found) < depth:
        yield Deviation(
            f"the transaction's {_many(depth, 'command')} sent at once",
            f"a reply was awaited after {min(found)} of them",
        )


def clients_connect(seen: Observation) -> Iterator[Deviation]:
    """Each of the shared client objects is used."""
    least = min(seen.shape.connections or 1, seen.shape.threads or 1) * seen.shape.processes
    if seen.wire.connections < least:
        yield Deviation(f"at least {_many(least, 'connection')}", f"{seen.wire.connections} carried commands")


def pool_bounded(seen: Observation) -> Iterator[Deviation]:
    """The pool never has more than `max_total` connections open."""
    most = (seen.shape.max_total or 1) * seen.shape.processes
    if seen.wire.connections_open_most > most:
        yield Deviation(f"at most {_many(most, 'connection')} open", f"{seen.wire.connections_open_most} were open")


def pool_keeps(seen: Observation) -> Iterator[Deviation]:
    """Connections idle beyond `max_idle` are closed; a pool that keeps all of them opens none in the window."""
    needed = min(seen.shape.threads or 1, seen.shape.max_total or 1)
    if seen.shape.max_idle is None or seen.shape.max_idle >= needed:
        yield from nothing_opened(seen)
    elif seen.wire.connections_open_at_end > seen.shape.max_idle * seen.shape.processes:
        yield Deviation(
            f"at most {seen.shape.max_idle} idle connections kept",
            f"{seen.wire.connections_open_at_end} were open when all had been given back",
        )


def one_command_a_connection(seen: Observation) -> Iterator[Deviation]:
    """Every command has its own connection, opened for it."""
    wire = seen.wire
    if wire.commands_per_connection_most > 1:
        yield Deviation("one command a connection", f"{wire.commands_per_connection_most} went over one of them")
    if wire.connections_opened < wire.commands:
        yield Deviation(
            "a new connection for each command", f"{wire.connections_opened} opened for {wire.commands} commands"
        )


def tracks(seen: Observation) -> Iterator[Deviation]:
    """The server is asked to report changes before anything is cached."""
    if TRACKING not in seen.wire.handshake:
        yield Deviation(f"{TRACKING} before the first command", f"{', '.join(seen.wire.handshake) or 'nothing'} came")


def pipelining(seen: Observation) -> Iterator[Deviation]:
    """Each window has its rule: a burst is complete before the next one begins, a sliding window is refilled."""
    yield from nothing_opened(seen)
    yield from up_to_goal(seen)
    if seen.shape.window is Window.SLIDING:
        yield from window_slides(seen)
    elif (seen.shape.threads or 1) == 1:
        yield from never_stalled(seen)


RULES: Final[dict[Scenario, tuple[Rule, ...]]] = {
    Scenario.SYNC: (one_connection, nothing_opened, alone_on_connection, up_to_goal),
    Scenario.PIPELINING: (pipelining,),
    Scenario.BATCHING: (one_connection, nothing_opened, up_to_goal, never_stalled, flushes_of_depth),
    Scenario.TRANSACTION: (one_connection, nothing_opened, blocks_of_depth, blocks_travel),
    Scenario.THREADS: (clients_connect, nothing_opened, up_to_goal),
    Scenario.POOL: (pool_bounded, pool_keeps, alone_on_connection, up_to_goal),
    Scenario.CACHING: (one_connection, nothing_opened, alone_on_connection, up_to_goal, tracks),
    Scenario.NEW_CONNECTION: (one_command_a_connection, alone_on_connection, up_to_goal),
}
"""The rules of each scenario, in addition to those that hold for all of them."""


def _absent(seen: Observation, asked: str, found: str, *, more_may_come: bool = True) -> Deviation:
    """Return the deviation for something that never happened; `awaited` if the client stalled often enough."""
    stalls = seen.trace.stalls
    order = stalls[0].order if stalls else None
    return Deviation(asked, found, order, absent=more_may_come, awaited=len(stalls) >= STALLS_WITH_PATIENCE)


def _refills(seen: Observation) -> int:
    """Count commands that arrived for a single reply while all others of the window were in flight."""
    goal = goal_of(seen.scenario, seen.shape)
    return sum(_refills_of(steps, goal) for steps in _steps_by_process(seen).values())


def _refills_of(steps: Iterable[tuple[int, int]], goal: int) -> int:
    refills = outstanding = 0
    replied_at_goal = False
    for _, step in steps:
        refills += step > 0 and replied_at_goal
        replied_at_goal = step < 0 and outstanding == goal
        outstanding += step
    return refills


def _steps_by_process(seen: Observation) -> dict[int, list[tuple[int, int]]]:
    """Return the arrivals (+1) and replies (-1) of every process, in order."""
    steps: dict[int, list[tuple[int, int]]] = {}
    for process, connection_steps in _steps_by_connection(seen):
        steps.setdefault(process, []).extend(connection_steps)
    return {process: sorted(every) for process, every in steps.items()}


def _steps_by_connection(seen: Observation) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    spans, public = windows(seen.trace), frozenset(seen.trace.subject.commands)
    for connection in seen.trace.connections:
        span: Span = spans[connection.process]
        inside = [c for c in connection.commands if c.name in public and span.holds(c.order)]
        arrivals = [(command.order, 1) for command in inside]
        yield connection.process, arrivals + [(c.reply.order, -1) for c in inside if c.reply is not None]


def _first_beyond(seen: Observation, total: int | None = None, per_connection: int | None = None) -> int | None:
    """Return the first arrival with which more commands were outstanding than allowed."""
    if total is not None:
        groups: Iterable[list[tuple[int, int]]] = _steps_by_process(seen).values()
        most = total
    else:
        groups = (sorted(steps) for _, steps in _steps_by_connection(seen))
        most = per_connection or 1
    beyond = [order for steps in groups if (order := _crossing(steps, most)) is not None]
    return min(beyond, default=None)


def _crossing(steps: Iterable[tuple[int, int]], most: int) -> int | None:
    outstanding = 0
    for order, step in steps:
        outstanding += step
        if outstanding > most:
            return order
    return None


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
