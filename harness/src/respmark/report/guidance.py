"""Claims and their verdicts in words, as a terminal, Markdown, JSON and the page show them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from respmark.guidance.evidence import Absent, Found
from respmark.guidance.verdict import JudgedClaim, JudgedPoint, Verdict
from respmark.numbers import significant
from respmark.specs.guidance import Direction, GuidanceSpec, Point
from respmark.statistics.measured import RATIO_NAMES

SUITE: Final = "guidance"
"""The suite that measures what all claims compare."""
HEADS: Final = ("verdict", "claim", "compared", "claimed", "published", "measured (95 % interval)")
FAMILY: Final = (
    "all comparisons of this report are one family (Holm): with 95 % confidence none of its verdicts `holds` and "
    "`does not hold` is wrong (docs/guidance.md)"
)


def compared(point: Point) -> str:
    """Return what is divided by what: `RPS of jedis batching (depth 10) / lettuce batching (depth 10)`."""
    return f"{RATIO_NAMES[point.metric]} of {point.cell.label} / {point.against.label}"


def claimed(point: Point) -> str:
    """Return what is claimed about the ratio."""
    above, below = significant(point.factor), significant(1 / point.factor)
    return {
        Direction.MORE: f"> {above}",
        Direction.LESS: f"< {below}",
        Direction.NO_MORE: f"< {above}",
        Direction.NO_LESS: f"> {below}",
        Direction.SAME: f"{below}..{above}",
    }[point.direction]


def published(point: Point) -> str:
    """Return the published ratio; empty if there is none."""
    return "" if point.published is None else significant(point.published)


def measured(one: JudgedPoint) -> str:
    """Return the ratio with its interval and, if the verdict is `not shown`, how many rounds would show it."""
    if one.ratio is None:
        return str(Verdict.NOT_MEASURED)
    if one.interval is None:
        return f"{significant(one.ratio)} (one round: no interval)"
    low, high = one.interval
    said = f"{significant(one.ratio)} ({significant(low)}..{significant(high)})"
    return f"{said}, not shown: {_further(one)}" if one.verdict is Verdict.NOT_SHOWN else said


def _further(one: JudgedPoint) -> str:
    if one.rounds_needed is None:
        return "too close to call, more than 1,000 rounds"
    return f"about {one.rounds_needed} rounds would show it"


def unmeasured(one: JudgedClaim) -> list[str]:
    """Return why comparisons of a claim are not measured, each reason once."""
    if one.claim.out_of_reach:
        return [f"out of reach: {one.claim.out_of_reach}"]
    reasons = [point.found.reason for point in one.points if isinstance(point.found, Absent)]
    return [f"not measured: {reason}" for reason in dict.fromkeys(reasons)]


def command(claims: Iterable[JudgedClaim]) -> str | None:
    """Return the command that measures what is not measured yet; None if nothing is left that can be."""
    ids = [one.claim.id for one in claims if one.verdict is Verdict.NOT_MEASURED and one.points]
    return " ".join([f"respmark run {SUITE}", *(f"--claim {claim}" for claim in ids)]) if ids else None


def counts(claims: Iterable[JudgedClaim]) -> str:
    """Return how many claims have each verdict."""
    verdicts = [one.verdict for one in claims]
    return ", ".join(f"{verdicts.count(one)} {one}" for one in Verdict)


def header(guidance: GuidanceSpec) -> Iterator[str]:
    """Yield what a source is, and what it measured."""
    yield f"{guidance.title} ({guidance.published}), {guidance.url}"
    versions = ", ".join(f"{library} {version}" for library, version in guidance.versions.items())
    yield f"measured there: {f'{versions}; ' if versions else ''}{guidance.setup}"


def here(claims: Iterable[JudgedClaim]) -> str:
    """Return what the verdicts on a source are based on: the versions that were loaded, and the runs."""
    found = [(point.point, point.found) for one in claims for point in one.points if isinstance(point.found, Found)]
    versions = {
        f"{side.client} {version}"
        for point, one in found
        for side, version in zip((point.cell, point.against), one.versions, strict=True)
    }
    runs = dict.fromkeys(one.run_id for _, one in found)
    return f"measured here: {', '.join(sorted(versions)) or 'nothing'}" + (f"; in {', '.join(runs)}" if runs else "")


def by_source(claims: Iterable[JudgedClaim]) -> Iterator[tuple[GuidanceSpec, list[JudgedClaim]]]:
    """Yield every source with its claims."""
    for _, group in groupby(claims, key=lambda one: one.guidance.name):
        found = list(group)
        yield found[0].guidance, found


def claimed_words(point: Point) -> str:
    """Return what is claimed about the ratio, and what was published."""
    return f"claimed {claimed(point)}" + (f", published {published(point)}" if point.published else "")


def with_figures(claims: Iterable[JudgedClaim]) -> list[JudgedClaim]:
    """Return the claims of which at least one comparison was measured."""
    return [one for one in claims if any(isinstance(point.found, Found) for point in one.points)]


def in_one_line(claims: Sequence[JudgedClaim]) -> str:
    """Return how many published claims have each verdict on a run, in one line."""
    if not with_figures(claims):
        return f"Published advice: none of {len(claims)} claims measured; respmark run {SUITE} measures them"
    return f"Published advice: {counts(claims)} (respmark verdict RUN)"
