"""Verdicts in words: for the table, and for whoever has to find the cause."""

from collections.abc import Iterator

from respmark.conform.cases import Case
from respmark.conform.context import TURNS
from respmark.conform.verdicts import Conformity, Verdict
from respmark.contract.trial import Scenario
from respmark.report.notes import shape_label
from respmark.wire.picture import picture
from respmark.wire.shape import WireShape

PIECE_LINES = 12
"""Lines of a trace that are shown with a deviation."""
MARKS = {
    Conformity.CONFORMS: "✓",
    Conformity.DEVIATES: "✗",
    Conformity.INCONCLUSIVE: "~",
    Conformity.UNSUPPORTED: "-",
    Conformity.MISSING: "?",
}


def label(case: Case) -> str:
    """Name a case's shape and fault: `depth 10, burst; fault: cut`."""
    turns = f"{TURNS} slices with a lead-in" if case.turns else ""
    commands = "every command" if case.every_command else ""
    words = [shape_label(case.cell.shape), commands, turns, f"fault: {case.fault.kind}" if case.fault else ""]
    return "; ".join(filter(None, words))


def outcome(verdict: Verdict) -> str:
    """Return what a case showed, in a few words, and the number of tries if there was more than one."""
    shown = _shown(verdict)
    return shown if verdict.tries == 1 else f"{shown} ({verdict.tries} tries)"


def _shown(verdict: Verdict) -> str:
    if verdict.deviations:
        first = verdict.deviations[0]
        more = f" (and {len(verdict.deviations) - 1} more)" if len(verdict.deviations) > 1 else ""
        return f"{first.found}{more}"
    if verdict.seen is None or verdict.conformity is Conformity.UNSUPPORTED:
        return verdict.reason or ""
    if verdict.case.turns:
        led_in = sum(answer.lead_in.operations for answer in verdict.seen.answers)
        return f"{verdict.seen.operations} operations, {led_in} of them in lead-ins"
    if not verdict.case.must_conform:
        return _faced(verdict)
    wire = verdict.seen.wire
    is_handshakes = verdict.seen.scenario is Scenario.NEW_CONNECTION
    return wire_words(wire) + (f", {', '.join(wire.handshake) or 'no handshake'}" if is_handshakes else "")


def wire_words(wire: WireShape) -> str:
    """Return a wire shape in words: `1 connection, 100 outstanding, 100 per flush, 100 per read`."""
    connections = f"{wire.connections} connection{'' if wire.connections == 1 else 's'}"
    blocks = {block.flushes for block in wire.blocks}
    flushes = f", {'/'.join(map(str, sorted(blocks)))} flushes a block" if blocks else ""
    return (
        f"{connections}, {wire.outstanding_most} outstanding, {_number(wire.commands_per_flush)} per flush, "
        f"{_number(wire.commands_per_read)} per read{flushes}"
    )


def explanation(verdict: Verdict) -> Iterator[str]:
    """Yield everything that deviates, then the piece of the trace that shows it."""
    for deviation in verdict.deviations:
        yield f"asked: {deviation.asked}"
        yield f"found: {deviation.found}"
    if verdict.trace is not None:
        order = next((d.order for d in verdict.deviations if d.order is not None), None)
        yield from (f"    {line}" for line in picture(verdict.trace, PIECE_LINES, order))


def _faced(verdict: Verdict) -> str:
    """Return how a runner handled a fault, in a few words."""
    seen = verdict.seen
    if seen is None or seen.failures:
        return str(seen.failures[0]) if seen else ""
    errors: dict[str, int] = {}
    for answer in seen.answers:
        errors.update(answer.errors)
    counted = ", ".join(f"{count} x {kind}" for kind, count in errors.items()) or "no error: the library sent it again"
    return f"{counted}; {seen.operations} operations"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
