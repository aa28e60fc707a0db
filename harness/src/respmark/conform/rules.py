"""Rules about what a trial showed on the wire: the definitions of the scenarios, and what tampering may do.

A runner must count errors by kind, never hang, never claim what it did not get.
"""

from collections.abc import Callable, Iterator
from typing import Final

from respmark.conform.hold import STALLS_WITH_PATIENCE, goal_of
from respmark.conform.observation import Deviation, Observation
from respmark.conform.shape import BLOCK
from respmark.conform.tampering import Tampering, TamperingKind
from respmark.contract.trial import Form, Scenario, Window, walkers

TRACKING: Final = "CLIENT TRACKING"
Rule = Callable[[Observation], Iterator[Deviation]]


def deviations(seen: Observation) -> list[Deviation]:
    """Return everything that is not as the scenario's definition says."""
    return [deviation for rule in RULES[seen.scenario] for deviation in rule(seen)]


def one_connection(seen: Observation) -> Iterator[Deviation]:
    """Each walker of each process uses one connection."""
    found, due = len(seen.wire.carrying), seen.shape.processes * walkers(seen.scenario, seen.shape)
    if found != due:
        yield Deviation(_many(due, "connection"), f"{found} carried commands")


def nothing_opened(seen: Observation) -> Iterator[Deviation]:
    """Every connection that the slice needs was opened before it."""
    if opened := _opened(seen):
        yield Deviation("no connection opened in the slice", f"{opened} were")


def alone_on_connection(seen: Observation) -> Iterator[Deviation]:
    """No command is sent while another one on the same connection waits for its reply."""
    most, order = seen.wire.outstanding_per_connection
    if most > 1:
        yield Deviation("at most 1 command outstanding on a connection", f"{most} were at once", order)


def up_to_goal(seen: Observation) -> Iterator[Deviation]:
    """At most as many commands are outstanding as the shape says, and at some point exactly as many."""
    goal, (most, order) = goal_of(seen.scenario, seen.shape), seen.wire.outstanding
    asked = f"{_many(goal, 'command')} outstanding at most, and at some time as many"
    if most > goal:
        yield Deviation(asked, f"{most} were outstanding at once", order)
    elif most < goal:
        yield _absent(seen, asked, f"never more than {most}: the client waited for replies")


def never_stalled(seen: Observation) -> Iterator[Deviation]:
    """Every unit is sent completely before a reply is needed.

    Batches on several connections do not wait for each other: the size of each flush shows whether its batch was whole.
    """
    if (seen.shape.connections or 1) > 1:
        return
    for stall in seen.trace.stalls[:1]:
        asked = f"{goal_of(seen.scenario, seen.shape)} commands without reading a reply"
        yield Deviation(asked, f"the client waited for replies after {stall.outstanding}", stall.order)


def window_slides(seen: Observation) -> Iterator[Deviation]:
    """For each reply, one command follows while the others are still in flight."""
    if not seen.wire.slides:
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
    if outside := len(seen.wire.everything) - sum(block.commands for block in seen.wire.blocks):
        yield Deviation("every command between MULTI and EXEC", f"{outside} outside")


def blocks_travel(seen: Observation) -> Iterator[Deviation]:
    """`queued`: each command is its own round trip. `batched`: all at once, MULTI and EXEC with them or separately."""
    depth = seen.shape.depth or 1
    found = [block.most_outstanding for block in seen.wire.blocks]
    if seen.shape.form is Form.QUEUED and found and max(found) > 1:
        yield Deviation("each command of the transaction its own round trip", f"{max(found)} were outstanding at once")
    if seen.shape.form is Form.BATCHED and found and min(found) < depth:
        asked = f"the transaction's {_many(depth, 'command')} sent at once"
        yield Deviation(asked, f"a reply was awaited after {min(found)} of them")


def clients_connect(seen: Observation) -> Iterator[Deviation]:
    """Each of the shared client objects is used."""
    least = min(seen.shape.connections or 1, seen.shape.threads or 1) * seen.shape.processes
    if len(seen.wire.carrying) < least:
        yield Deviation(f"at least {_many(least, 'connection')}", f"{len(seen.wire.carrying)} carried commands")


def pool_bounded(seen: Observation) -> Iterator[Deviation]:
    """The pool never has more than `max_total` connections open."""
    most = (seen.shape.max_total or 1) * seen.shape.processes
    if seen.wire.open_most > most:
        yield Deviation(f"at most {_many(most, 'connection')} open", f"{seen.wire.open_most} were open")


def pool_keeps(seen: Observation) -> Iterator[Deviation]:
    """Connections idle beyond `max_idle` are closed; a pool that keeps all of them opens none in the slice."""
    needed, kept = min(seen.shape.threads or 1, seen.shape.max_total or 1), seen.shape.max_idle
    if kept is None or kept >= needed:
        yield from nothing_opened(seen)
        return
    ends = [(one, seen.wire.span_of(one).end) for one in seen.trace.connections]
    idle = sum(one.opened < end and (one.closed is None or end < one.closed) for one, end in ends)
    if idle > kept * seen.shape.processes:
        yield Deviation(f"at most {kept} idle connections kept", f"{idle} were open when all had been given back")


def one_command_a_connection(seen: Observation) -> Iterator[Deviation]:
    """Every command has its own connection, opened for it."""
    most = max((sum(x.name not in BLOCK for x in one) for one in seen.wire.inside.values()), default=0)
    if most > 1:
        yield Deviation("one command a connection", f"{most} went over one of them")
    opened, commands = _opened(seen), len(seen.wire.everything)
    if opened < commands:
        yield Deviation("a new connection for each command", f"{opened} opened for {commands} commands")


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


def _absent(seen: Observation, asked: str, found: str) -> Deviation:
    """Return the deviation for what never happened: final if the proxy waited often enough, or no command came."""
    stalls = seen.trace.stalls
    is_final = len(stalls) >= STALLS_WITH_PATIENCE or not seen.wire.everything
    return Deviation(asked, found, stalls[0].order if stalls else None, absent=not is_final)


def _opened(seen: Observation) -> int:
    return sum(seen.wire.span_of(one).holds(one.opened) for one in seen.trace.connections)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def tampering_happened(seen: Observation, tampering: Tampering) -> Iterator[Deviation]:
    """A reply was tampered with; otherwise the trial does not show how the runner handles it."""
    if not seen.trace.tampered:
        asked = f"a reply to tamper with (`{tampering.kind}`)"
        yield Deviation(asked, "none: the trial was too short, or did not run", absent=True)


def tampered_deviations(seen: Observation, tampering: Tampering, *, may_hang: bool = False) -> Iterator[Deviation]:
    """Return what the runner got wrong after a reply was tampered with in a harmful way.

    `may_hang`: its library never answers what is sent after a connection was lost.
    """
    if tampering.kind is TamperingKind.WRONG_VALUE:
        yield from refused_wrong_reply(seen)
    elif not seen.slices:
        if tampering.kind is TamperingKind.ERROR or not (seen.is_server_lost or (may_hang and seen.is_hung)):
            why = str(seen.runner_errors[0]) if seen.runner_errors else seen.failure or "no result came"
            or_lost = "" if tampering.kind is TamperingKind.ERROR else ", or a lost server"
            yield Deviation(f"a result with the error counted{or_lost}", why)
    else:
        yield from error_counted(seen) if tampering.kind is TamperingKind.ERROR else survived(seen)
        if any(answer.errors and not answer.first_error for answer in seen.answers):
            yield Deviation("the first error's message", "none")


def refused_wrong_reply(seen: Observation) -> Iterator[Deviation]:
    """Verification notices a value that is not its key's: the trial ends with a sentence."""
    asked = "a wrong value found in verification: the trial ends with a sentence that names the command"
    if seen.failure is None:
        yield Deviation(asked, "it continued as if the value were right", _tampered_order(seen))
    elif not any(name in seen.failure for name in seen.trace.subject.commands):
        yield Deviation(asked, seen.failure)


def error_counted(seen: Observation) -> Iterator[Deviation]:
    """One error reply is one failed unit; its commands are not counted, all others are."""
    errors, sent, unit = seen.errors.total(), len(seen.wire.everything), seen.per_unit
    if errors != 1:
        yield Deviation("exactly 1 error counted", f"{errors} counted", _tampered_order(seen))
    if seen.operations != sent - unit:
        yield Deviation(
            f"{sent - unit:,} operations: {sent:,} commands on the wire less the failed unit's {unit}",
            f"{seen.operations:,} claimed",
            _tampered_order(seen),
        )


def survived(seen: Observation) -> Iterator[Deviation]:
    """A lost connection is counted or retried; what is claimed was answered; nothing hangs."""
    errors, good = seen.errors.total(), _good_replies(seen)
    least = max(0, good - seen.per_unit * (errors + 1))
    if not least <= seen.operations <= good:
        yield Deviation(
            f"between {least:,} and {good:,} operations: what was answered",
            f"{seen.operations:,} claimed with {errors} errors counted",
            _tampered_order(seen),
        )
    if not errors and len(seen.wire.everything) == seen.operations:
        yield Deviation("the lost commands counted as an error, or retried", "neither", _tampered_order(seen))


def _good_replies(seen: Observation) -> int:
    """Count the slice's commands whose reply reached the client; those of a transaction get theirs with EXEC."""
    if seen.scenario is Scenario.TRANSACTION:
        return sum(block.commands for block in seen.wire.blocks if block.answered)
    return sum(one.reply is not None and one.reply.error is None for one in seen.wire.everything)


def _tampered_order(seen: Observation) -> int | None:
    tampered = [one.reply.order for one in seen.trace.commands if one.reply is not None and one.reply.tampering]
    lost = [one.order for one in seen.trace.commands if one.reply is None and one.name not in BLOCK]
    return min(tampered + lost, default=None)
