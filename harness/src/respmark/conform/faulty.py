"""How a runner must handle faults: count them by kind, never hang, never claim what it did not get."""

from collections.abc import Iterator
from typing import Final

from respmark.conform.observation import TARGET_LOST_EXIT, Deviation, Observation
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.wire.faults import Fault, FaultKind
from respmark.wire.shape import BLOCK

DELAY_S: Final = 0.15
SPLIT_TIMES: Final = 20
LATER: Final = 1
"""Replies that pass before a fault, so the fault meets a client that is at work."""
HARMLESS: Final = frozenset({FaultKind.DELAY, FaultKind.SPLIT})
"""Faults that change nothing but timing."""

SHOWN_OF_CACHES: Final = HARMLESS | {FaultKind.WRONG_VALUE}
"""Faults that are tried in `caching`: with the others, what was claimed cannot be told from what the cache answered."""
FAULTY_SHAPES: Final[tuple[tuple[Scenario, Shape], ...]] = (
    (Scenario.SYNC, Shape()),
    (Scenario.PIPELINING, Shape(depth=10, window=Window.BURST)),
    (Scenario.PIPELINING, Shape(depth=10, window=Window.SLIDING)),
    (Scenario.BATCHING, Shape(depth=10)),
    (Scenario.TRANSACTION, Shape(depth=10, form=Form.QUEUED)),
    (Scenario.TRANSACTION, Shape(depth=10, form=Form.BATCHED)),
    (Scenario.THREADS, Shape(threads=4, connections=1)),
    (Scenario.POOL, Shape(threads=4, max_total=2)),
    (Scenario.NEW_CONNECTION, Shape()),
    (Scenario.CACHING, Shape(cache_entries=100)),
)
"""Where faults and slices in a row are tried: every scenario, with each of its windows and forms."""


def fault_for(kind: FaultKind, scenario: Scenario) -> Fault:
    """Return the scripted fault of this kind for a scenario."""
    name, after = ("EXEC", 1) if scenario is Scenario.TRANSACTION else ("GET", LATER)
    since = None if kind is FaultKind.WRONG_VALUE else "go"
    times = SPLIT_TIMES if kind is FaultKind.SPLIT else 1
    return Fault(kind, after=after, names=frozenset({name}), since=since, times=times, seconds=DELAY_S)


def faults_of(scenario: Scenario) -> Iterator[Fault]:
    """Yield the faults that are tried in a scenario."""
    for kind in FaultKind:
        if scenario is not Scenario.CACHING or kind in SHOWN_OF_CACHES:
            yield fault_for(kind, scenario)


def fault_happened(seen: Observation, fault: Fault) -> Iterator[Deviation]:
    """The fault met a reply; otherwise the trial does not show how the runner handles it."""
    if not seen.trace.faults:
        asked = f"a reply to put the fault `{fault.kind}` in"
        yield Deviation(asked, "none came: the trial was too short, or did not run", absent=True)


def fault_deviations(seen: Observation, fault: Fault) -> Iterator[Deviation]:
    """Return what the runner got wrong after a harmful fault that did happen."""
    if fault.kind is FaultKind.WRONG_VALUE:
        yield from refused_wrong_reply(seen)
    elif fault.kind is FaultKind.ERROR:
        yield from error_counted(seen)
    else:
        yield from survived(seen)


def refused_wrong_reply(seen: Observation) -> Iterator[Deviation]:
    """Verification notices a value that is not its key's: the trial ends with a sentence."""
    asked = "a wrong value found in verification: the trial ends with a sentence that names the command"
    if not seen.failures:
        yield Deviation(asked, "it went on as if it were right", _faulty_order(seen))
    elif not any(name in str(seen.failures[0]) for name in seen.trace.subject.commands):
        yield Deviation(asked, str(seen.failures[0]))


def error_counted(seen: Observation) -> Iterator[Deviation]:
    """One error reply is one failed unit; its commands are not counted, all others are."""
    if not seen.answers:
        yield Deviation("one error reply survived and counted", _why_none(seen))
        return
    errors = sum(count for answer in seen.answers for count in answer.errors.values())
    if errors != 1:
        yield Deviation("exactly 1 error counted", f"{errors} counted", _faulty_order(seen))
    right = seen.wire.commands - unit_of(seen)
    if seen.operations != right:
        yield Deviation(
            f"{right:,} operations: {seen.wire.commands:,} commands on the wire less the failed unit's {unit_of(seen)}",
            f"{seen.operations:,} claimed",
            _faulty_order(seen),
        )
    yield from _named(seen)


def survived(seen: Observation) -> Iterator[Deviation]:
    """A lost connection is counted or retried; what is claimed was answered; nothing hangs."""
    if not seen.answers:
        if not seen.is_target_lost:
            yield Deviation(f"a result with the error counted, or exit {TARGET_LOST_EXIT}", _why_none(seen))
        return
    errors = sum(count for answer in seen.answers for count in answer.errors.values())
    good = _good_replies(seen)
    least = good - unit_of(seen) * (errors + 1)
    if not least <= seen.operations <= good:
        yield Deviation(
            f"between {max(0, least):,} and {good:,} operations: what was answered",
            f"{seen.operations:,} claimed with {errors} errors counted",
            _faulty_order(seen),
        )
    if not errors and seen.wire.commands == seen.operations:
        yield Deviation("the lost commands counted as an error, or sent again", "neither", _faulty_order(seen))
    yield from _named(seen)


def unit_of(seen: Observation) -> int:
    """Return how many commands of the workload a unit has."""
    sliding = seen.shape.window is Window.SLIDING
    return 1 if sliding else seen.shape.depth or 1


def _named(seen: Observation) -> Iterator[Deviation]:
    """Every error has a kind, and the first one has a message."""
    for answer in seen.answers:
        if answer.errors and not (answer.first_error and all(answer.errors)):
            yield Deviation("errors by kind, and the first one's message", f"{answer.errors}, {answer.first_error}")


def _good_replies(seen: Observation) -> int:
    """Count the window's commands whose reply reached the client; those of a transaction get theirs with EXEC."""
    if seen.scenario is Scenario.TRANSACTION:
        return sum(block.commands for block in seen.wire.blocks if block.answered)
    return seen.wire.commands - seen.wire.unanswered - seen.wire.errors


def _faulty_order(seen: Observation) -> int | None:
    found = [
        command.reply.order if command.reply else command.order
        for connection in seen.trace.connections
        for command in connection.commands
        if (command.reply is not None and command.reply.fault) or (command.reply is None and command.name not in BLOCK)
    ]
    return min(found, default=None)


def _why_none(seen: Observation) -> str:
    return str(seen.failures[0]) if seen.failures else seen.outcome.reason or "no result came"
