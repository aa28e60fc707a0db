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
        more = f" (and {len(verdict.deviations) - 1} more)" if len(verdict.deviations) > 1 else ""
        return verdict.deviations[0].found + more
    seen = verdict.seen
    if seen is None:
        return verdict.reason or ""
    if verdict.case.turns:
        led_in = sum(claim.lead_in for claim in seen.claims)
        return f"{seen.operations} operations, {led_in} of them in lead-ins"
    if not verdict.case.must_conform:
        if seen.runner_errors:
            return str(seen.runner_errors[0])
        counted = ", ".join(f"{count} x {kind}" for kind, count in seen.errors.items())
        return f"{counted or 'no error: the library sent it again'}; {seen.operations} operations"
    is_handshakes = seen.scenario is Scenario.NEW_CONNECTION
    handshakes = f", {', '.join(seen.wire.handshake) or 'no handshake'}" if is_handshakes else ""
    return wire_words(seen.wire) + handshakes


def wire_words(wire: WireShape) -> str:
    """Return a wire shape in words: `1 connection, 100 outstanding, 100 per flush, 100 per read`."""
    count = len(wire.carrying)
    blocks = {block.flushes for block in wire.blocks}
    flushes = f", {'/'.join(map(str, sorted(blocks)))} flushes a block" if blocks else ""
    return (
        f"{count} connection{'' if count == 1 else 's'}, {wire.outstanding.most} outstanding, "
        f"{_mean(wire.flush_sizes)} per flush, {_mean(wire.read_sizes)} per read{flushes}"
    )


def explanation(verdict: Verdict) -> Iterator[str]:
    """Yield everything that deviates, then the piece of the trace that shows it."""
    for deviation in verdict.deviations:
        yield f"asked: {deviation.asked}"
        yield f"found: {deviation.found}"
    if verdict.seen is not None:
        order = next((d.order for d in verdict.deviations if d.order is not None), None)
        yield from (f"    {line}" for line in picture(verdict.seen.trace, PIECE_LINES, order))


def _mean(sizes: dict[int, int]) -> str:
    groups = sum(sizes.values())
    mean = sum(size * count for size, count in sizes.items()) / groups if groups else 0.0
    return f"{mean:.0f}" if mean == int(mean) else f"{mean:.1f}"
