"""How a runner must handle faults: count them by kind, never hang, never claim what it did not get."""

from collections.abc import Iterator
from typing import Final

from respmark.conform.observation import Deviation, Observation
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.execute.runner import TARGET_LOST_EXIT
from respmark.specs.scenario import commands_per_unit
from respmark.wire.faults import Fault, FaultKind
from respmark.wire.shape import BLOCK

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
    return Fault(kind, "EXEC" if scenario is Scenario.TRANSACTION else "GET")


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
    elif not seen.claims:
        if fault.kind is FaultKind.ERROR or not seen.is_target_lost:
            why = str(seen.runner_errors[0]) if seen.runner_errors else seen.failure or "no result came"
            or_lost = "" if fault.kind is FaultKind.ERROR else f", or exit {TARGET_LOST_EXIT}"
            yield Deviation(f"a result with the error counted{or_lost}", why)
    else:
        yield from error_counted(seen) if fault.kind is FaultKind.ERROR else survived(seen)
        if any(claim.errors and not claim.first_error for claim in seen.claims):
            yield Deviation("the first error's message", "none")


def refused_wrong_reply(seen: Observation) -> Iterator[Deviation]:
    """Verification notices a value that is not its key's: the trial ends with a sentence."""
    asked = "a wrong value found in verification: the trial ends with a sentence that names the command"
    if seen.failure is None:
        yield Deviation(asked, "it went on as if it were right", _faulty_order(seen))
    elif not any(name in seen.failure for name in seen.trace.subject.commands):
        yield Deviation(asked, seen.failure)


def error_counted(seen: Observation) -> Iterator[Deviation]:
    """One error reply is one failed unit; its commands are not counted, all others are."""
    errors, sent = seen.errors.total(), len(seen.wire.everything)
    if errors != 1:
        yield Deviation("exactly 1 error counted", f"{errors} counted", _faulty_order(seen))
    unit = commands_per_unit(seen.scenario, seen.shape)
    if seen.operations != sent - unit:
        yield Deviation(
            f"{sent - unit:,} operations: {sent:,} commands on the wire less the failed unit's {unit}",
            f"{seen.operations:,} claimed",
            _faulty_order(seen),
        )


def survived(seen: Observation) -> Iterator[Deviation]:
    """A lost connection is counted or retried; what is claimed was answered; nothing hangs."""
    errors, good = seen.errors.total(), _good_replies(seen)
    least = max(0, good - commands_per_unit(seen.scenario, seen.shape) * (errors + 1))
    if not least <= seen.operations <= good:
        yield Deviation(
            f"between {least:,} and {good:,} operations: what was answered",
            f"{seen.operations:,} claimed with {errors} errors counted",
            _faulty_order(seen),
        )
    if not errors and len(seen.wire.everything) == seen.operations:
        yield Deviation("the lost commands counted as an error, or sent again", "neither", _faulty_order(seen))


def _good_replies(seen: Observation) -> int:
    """Count the window's commands whose reply reached the client; those of a transaction get theirs with EXEC."""
    if seen.scenario is Scenario.TRANSACTION:
        return sum(block.commands for block in seen.wire.blocks if block.answered)
    return sum(one.reply is not None and one.reply.error is None for one in seen.wire.everything)


def _faulty_order(seen: Observation) -> int | None:
    commands = [command for connection in seen.trace.connections for command in connection.commands]
    tampered = [one.reply.order for one in commands if one.reply is not None and one.reply.fault]
    lost = [one.order for one in commands if one.reply is None and one.name not in BLOCK]
    return min(tampered + lost, default=None)
