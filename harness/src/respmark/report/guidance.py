"""Claims and their verdicts, as chapters and as JSON."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from respmark.figures.kind import FigureKind
from respmark.guidance.block import Absent, Found
from respmark.guidance.bound import TO_BREAK, TO_HOLD, JudgedBound, Rounds
from respmark.guidance.verdict import JudgedClaim, JudgedRatio, Verdict, verdict_on
from respmark.numbers import interval, significant
from respmark.report.labels import plural
from respmark.report.table import Chapter, Column, Table, TableCell, style, subject, table
from respmark.specs.guidance import USUAL_SUITE, ClaimSpec, GuidanceSpec
from respmark.specs.statements import BOUND_UNITS, ClaimedBound, ClaimedRatio, Conditions, Place

UNJUDGED: Final = frozenset({Verdict.NOT_MEASURED, Verdict.NOT_ABOUT_THIS_PLACE})
MOST_NAMED: Final = 3
"""The most claims of a suite that a command names: nobody types more, and the suite measures them all."""
MOST_REASONS: Final = 2
"""The most reasons that are printed why comparisons of a claim were not measured."""
SAYS_WHY: Final = "respmark verdict RUN --source NAME says why, claim by claim"
CLAIMS: Final = "respmark verdict --source NAME lists the claims of a source; respmark verdict RUN says which hold"
NOT_WARM: Final = "‡"
NOT_WARM_NOTE: Final = f"{NOT_WARM} a trial behind it was not warm: not steady when its warm-up reached the limit"
FAMILY: Final = (
    "on average, at most 5 % of the verdicts `holds` and `does not hold` in this report are wrong (false discovery "
    "rate, docs/statistics.md)"
)
COUNTED: Final = (
    f"a bound on the figure of a round holds if every one of at least {TO_HOLD} rounds keeps it, and does not hold if "
    f"{TO_BREAK} break it; `> 75` counts as 75"
)


def claims_chapter(guidance: GuidanceSpec, kind: FigureKind) -> Chapter:
    """Return what a source claims of a kind of trial, with a table per claim."""
    made = (one for claim in guidance.claims for one in _claim_tables(claim, kind))
    return Chapter(_title(guidance), _source(guidance), tuple(made), is_joined=True)


def _claim_tables(claim: ClaimSpec, kind: FigureKind) -> Iterator[Table]:
    """Yield what a claim compares, and the bounds that it sets."""
    title, notes = f"{_claim(claim)} [{claim.section}]", _beyond(claim)
    if claim.ratios or not claim.bounds:
        yield table(title, claim.ratios, _claim_columns(kind), () if claim.bounds else notes)
    if claim.bounds:
        yield table("" if claim.ratios else title, claim.bounds, BOUND_COLUMNS, notes)


def sources_chapter(sources: Iterable[GuidanceSpec]) -> Chapter:
    """Return every source in a line, with the command that measures what it claims."""
    columns: Sequence[Column[GuidanceSpec]] = (
        subject(lambda one: one.name),
        Column("claims", lambda one: str(len(one.claims))),
        Column("title", _title, is_text=True),
        Column("to measure them", lambda one: f"respmark run {one.suite}", is_text=True),
    )
    return Chapter("published advice", tables=(table("", sources, columns),), notes=(CLAIMS,))


def _beyond(claim: ClaimSpec) -> tuple[str, ...]:
    if claim.out_of_reach:
        return (f"`{claim.id}`: out of reach: {claim.out_of_reach}",)
    said = {
        "needs": claim.needs.words,
        "is about": _conditions(claim.conditions),
    }
    found = "; ".join(f"{verb} {what}" for verb, what in said.items() if what)
    return (f"`{claim.id}`: {found}",) if found else ()


def _conditions(conditions: Conditions) -> str:
    place = {Place.LOCAL: "clients on the server's machine", Place.NETWORK: f"a network of {conditions.rtt_ms} ms"}
    where = place[conditions.place] if conditions.place else ""
    return ", ".join(filter(None, [conditions.workload and f"workload {conditions.workload}", where]))


def verdict_chapters(
    claims: Sequence[JudgedClaim], kind: FigureKind, level: int = 2, *, is_brief: bool = False
) -> list[Chapter]:
    """Return all verdicts, a chapter per source with a table per claim, and what they come to.

    Brief: sources of which nothing was measured have a line each, in one table.
    """
    chapters: list[Chapter] = []
    unmeasured: list[list[JudgedClaim]] = []
    for _, group in groupby(claims, key=lambda one: one.guidance.name):
        found = list(group)
        if is_brief and not _has_figures(found):
            unmeasured.append(found)
            continue
        guidance = found[0].guidance
        tables = tuple(made for one in found for made in _tables(one, kind))
        lines = (*_source(guidance), _here(found))
        chapters.append(Chapter(_title(guidance), lines, tables, is_joined=True, level=level))
    return [*chapters, *([_unmeasured(unmeasured)] if unmeasured else []), _summary(claims)]


def _has_figures(claims: Iterable[JudgedClaim]) -> bool:
    found = ([*(part.found for part in one.ratios), *(part.found for part in one.bounds)] for one in claims)
    return any(not isinstance(one, Absent) for of_claim in found for one in of_claim)


def _unmeasured(sources: Iterable[Sequence[JudgedClaim]]) -> Chapter:
    """Return the claims of sources of which nothing was measured."""
    columns: Sequence[Column[Sequence[JudgedClaim]]] = (
        subject(lambda found: found[0].guidance.name),
        Column("claims", lambda found: ", ".join(one.claim.id for one in found), is_text=True),
    )
    found = table("", sources, columns)
    return Chapter("sources of which nothing was measured", tables=(found,), notes=(SAYS_WHY,))


def _summary(claims: Sequence[JudgedClaim]) -> Chapter:
    found = [claimed.found for one in claims for claimed in one.ratios]
    cold = any(isinstance(one, Found) and not one.was_warm for one in found)
    counted = any(isinstance(bound.found, Rounds) for one in claims for bound in one.bounds)
    notes = [*([NOT_WARM_NOTE] if cold else []), FAMILY, *([COUNTED] if counted else [])]
    return Chapter("", (_counts(claims), *notes), command=command_of(claims))


def advice_chapters(claims: Sequence[JudgedClaim], kind: FigureKind) -> list[Chapter]:
    """Return the claims for which a run measured something, as chapters of its report."""
    if not claims:
        return []
    first = Chapter("published advice", (in_one_line(claims),))
    if not (found := judged(claims)):
        return [first]
    *chapters, _ = verdict_chapters(found, kind, 3)
    return [first, *chapters, _summary(claims)]


def _tables(one: JudgedClaim, kind: FigureKind) -> Iterator[Table]:
    """Yield the comparisons of a claim that were measured, and the bounds; the first table has the verdict."""
    ratios = [claimed for claimed in one.ratios if isinstance(claimed.found, Found)]
    bounds = [claimed for claimed in one.bounds if isinstance(claimed.found, Rounds)]
    unmeasured = [f"out of reach: {one.claim.out_of_reach}"] if one.claim.out_of_reach else _reasons(one)
    notes = tuple(f"`{one.claim.id}`: {reason}" for reason in unmeasured)
    title, mark = _claim(one.claim), TableCell(one.verdict, style(one.verdict))
    has_ratios = bool(one.ratios) or not one.bounds
    if has_ratios:
        yield replace(table(title, ratios, _verdict_columns(kind), () if bounds else notes), mark=mark)
    if bounds or not has_ratios:
        made = table("" if has_ratios else title, bounds, JUDGED_BOUND_COLUMNS, notes)
        yield made if has_ratios else replace(made, mark=mark)


def _reasons(one: JudgedClaim) -> Iterator[str]:
    """Yield why comparisons have no ratio, a line a verdict; of many reasons the first ones (JSON has them all)."""
    by_verdict: defaultdict[tuple[str, Verdict], list[str]] = defaultdict(list)
    for claimed in one.ratios:
        if isinstance(claimed.found, Absent):
            by_verdict["comparison", claimed.verdict].append(claimed.found.reason)
    for bound in one.bounds:
        if isinstance(bound.found, Absent):
            by_verdict["bound", Verdict.NOT_MEASURED].append(bound.found.reason)
    for (what, verdict), reasons in by_verdict.items():
        different = list(dict.fromkeys(reasons))
        rest = [plural(more, "more reason")] if (more := len(different) - MOST_REASONS) > 0 else []
        yield f"{plural(len(reasons), what)} {verdict}: {'; '.join([*different[:MOST_REASONS], *rest])}"


def _claim(claim: ClaimSpec) -> str:
    return f"{claim.gist} (`{claim.id}`)"


def bound_text(claimed: ClaimedRatio) -> str:
    """Return within which bounds the ratio lies if the claim holds."""
    low, high = claimed.ends
    if not low:
        return f"< {significant(high)}"
    return f"> {significant(low)}" if math.isinf(high) else f"{significant(low)}..{significant(high)}"


def _compared(claimed: ClaimedRatio, kind: FigureKind) -> str:
    return f"{kind.compared[claimed.metric].name} of {claimed.cell.label} / {claimed.against.label}"


def _measured_in(found: Found | Absent) -> str:
    """Return the run, the rounds, the workload and the place that a ratio is from."""
    if isinstance(found, Absent):
        return ""
    workloads = " / ".join(dict.fromkeys(found.workloads))
    return f"{found.run_id}: {plural(len(found.rounds), 'round')}, {workloads}, {place(found)}"


def place(found: Found) -> str:
    """Return where the clients were."""
    if found.rtt_ms is not None:
        return f"behind {found.rtt_ms:g} ms"
    return "on one machine" if found.place is Place.LOCAL else "behind a network"


def ratio_text(one: JudgedRatio) -> str:
    """Return the ratio with its interval, and with a mark if a trial behind it was not warm."""
    if isinstance(one.found, Absent) or one.ratio is None:
        return str(one.verdict)
    mark = "" if one.found.was_warm else f" {NOT_WARM}"
    low, high = one.interval or (None, None)
    return interval(one.ratio, low, high, significant, without="one round: no interval") + mark


def _measured(one: JudgedRatio) -> str:
    """Return the ratio with its interval and, if the verdict is `not shown`, how many rounds would show it."""
    ratio = ratio_text(one)
    if one.interval is None:
        return ratio
    if one.verdict is not Verdict.NOT_SHOWN:
        return ratio
    if one.rounds_needed is None:
        return f"{ratio}, not shown: cannot be decided in reasonable time"
    minutes = "" if one.minutes_needed is None else f" ({max(1, round(one.minutes_needed))} min)"
    return f"{ratio}, not shown: about {one.rounds_needed} rounds{minutes} would show it"


def _claim_columns(kind: FigureKind) -> tuple[Column[ClaimedRatio], ...]:
    return (
        subject(lambda claimed: _compared(claimed, kind)),
        Column("claimed", bound_text, is_text=True),
        Column("published", lambda claimed: significant(claimed.published)),
    )


def _of_judged(column: Column[ClaimedRatio]) -> Column[JudgedRatio]:
    return Column(column.head, lambda one: column.text(one.claimed), is_text=column.is_text)


def _verdict_columns(kind: FigureKind) -> tuple[Column[JudgedRatio], ...]:
    return (
        *map(_of_judged, _claim_columns(kind)),
        Column("measured (95 % interval)", lambda one: TableCell(_measured(one), style(one.verdict)), is_text=True),
        Column("measured in", lambda one: _measured_in(one.found), is_text=True),
    )


def bounded_figure(claimed: ClaimedBound) -> str:
    """Return what a bound is on; of the shape, the fault if there is one."""
    cell, shape = claimed.cell, claimed.cell.shape
    seconds = "" if shape.fault_s is None else f" of {shape.fault_s:g} s"
    where = " ".join(filter(None, [f"in {shape.fault or cell.scenario}{seconds}", cell.workload, cell.server]))
    return f"{claimed.metric.replace('_', ' ')} of {cell.client} {where}"


def bound_of_rounds(claimed: ClaimedBound) -> str:
    """Return the bound, with its unit."""
    sign, bound = ("≤", claimed.at_most) if claimed.at_most is not None else ("≥", claimed.at_least)
    return f"{sign} {bound:g} {BOUND_UNITS.get(claimed.metric, '')}".rstrip()


def _each_round(one: JudgedBound) -> TableCell:
    values = one.found.values if isinstance(one.found, Rounds) else ()
    return TableCell(", ".join(f"{value:.4g}" for value in values), style(verdict_on(one)))


def _rounds_in(one: JudgedBound) -> str:
    found = one.found
    return "" if isinstance(found, Absent) else f"{found.run_id}: {plural(len(found.values), 'round')}"


BOUND_COLUMNS: Final[tuple[Column[ClaimedBound], ...]] = (
    subject(bounded_figure),
    Column("claimed", bound_of_rounds, is_text=True),
    Column("published", lambda claimed: significant(claimed.published)),
)
JUDGED_BOUND_COLUMNS: Final[tuple[Column[JudgedBound], ...]] = (
    subject(lambda one: bounded_figure(one.claimed)),
    Column("claimed", lambda one: bound_of_rounds(one.claimed), is_text=True),
    Column("published", lambda one: significant(one.claimed.published)),
    Column("each round", _each_round, is_text=True),
    Column("measured in", _rounds_in, is_text=True),
)


def command_of(claims: Iterable[JudgedClaim]) -> str | None:
    """Return the command that measures what is not measured yet; None if nothing is left that can be."""
    by_suite: defaultdict[str, list[str]] = defaultdict(list)
    for one in claims:
        if one.verdict is Verdict.NOT_MEASURED and (one.ratios or one.bounds) and not one.lacking:
            by_suite[one.guidance.suite].append(f"--claim {one.claim.id}")
    named = {suite: ids if len(ids) <= MOST_NAMED else [] for suite, ids in by_suite.items()}
    return " && ".join(" ".join([f"respmark run {suite}", *ids]) for suite, ids in named.items()) or None


def _counts(claims: Iterable[JudgedClaim]) -> str:
    verdicts = [one.verdict for one in claims]
    return ", ".join(f"{verdicts.count(one)} {one}" for one in Verdict)


def _title(guidance: GuidanceSpec) -> str:
    return f"{guidance.title} ({guidance.published})"


def _source(guidance: GuidanceSpec) -> tuple[str, str]:
    versions = ", ".join(f"{library} {version}" for library, version in guidance.versions.items())
    return guidance.url, f"measured there: {f'{versions}; ' if versions else ''}{guidance.setup}"


def _here(claims: Sequence[JudgedClaim]) -> str:
    """Return what the verdicts on a source are based on: the versions that were loaded, and the runs."""
    versions: set[str] = set()
    runs: dict[str, None] = {}
    for claimed, found in ((claimed.claimed, claimed.found) for one in claims for claimed in one.ratios):
        if isinstance(found, Found):
            sides = zip((claimed.cell, claimed.against), found.versions, strict=True)
            versions |= {f"{side.client} {version}" for side, version in sides}
            runs[found.run_id] = None
    for bound in (bound for one in claims for bound in one.bounds):
        if isinstance(bound.found, Rounds):
            versions.add(f"{bound.claimed.cell.client} {bound.found.version}")
            runs[bound.found.run_id] = None
    return f"measured here: {', '.join(sorted(versions)) or 'nothing'}" + (f"; in {', '.join(runs)}" if runs else "")


def judged(claims: Iterable[JudgedClaim]) -> list[JudgedClaim]:
    """Return the claims that have a verdict on what was measured."""
    return [one for one in claims if one.verdict not in UNJUDGED]


def in_one_line(claims: Sequence[JudgedClaim]) -> str:
    """Return how many published claims have each verdict on a run, in one line."""
    if not judged(claims):
        return (
            f"Published advice: none of {len(claims)} claims was measured under its own conditions; "
            f"respmark run {USUAL_SUITE} measures them"
        )
    return f"Published advice: {_counts(claims)} (respmark verdict RUN)"
