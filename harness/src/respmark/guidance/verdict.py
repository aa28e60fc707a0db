"""Whether claims hold: one-sided tests against their bounds, all of them together at the stated confidence.

A comparison holds if its ratio is shown to lie within the claim's bounds, and does not hold if it is shown to lie
outside. For a single comparison, this means that its 95 % interval lies inside or outside. All comparisons that are
judged together are one family (Holm): with 95 % confidence, none of their verdicts `holds` and `does not hold` is
wrong. Ratios are of cells that took turns in a block; `guidance.evidence` says which.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final

import scipy

from respmark.figures.cells import CountedRun
from respmark.figures.compare import CONFIDENCE, Estimate, confidence_of, shown_of
from respmark.guidance.evidence import Absent, Found, JudgedRun, evidence_for
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import UNLIMITED, Capacity, ClaimSpec, GuidanceSpec, Named, Point

MOST_ROUNDS: Final = 1000
"""A comparison that would need more is too close to the bound to be distinguished from it."""
POWER: Final = 0.8
"""How often the stated number of rounds would show it, if the ratio is what was measured."""


class Verdict(StrEnum):
    """What a run says about a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SHOWN = "not shown"
    NOT_MEASURED = "not measured"
    NOT_ABOUT_THIS_PLACE = "not about this place"
    """The claim is about a network, and the clients had none; or the other way round."""


@dataclass(frozen=True)
class JudgedPoint:
    """One comparison of a claim."""

    point: Point
    verdict: Verdict
    found: Found | Absent
    """The ratio, or why there is none."""
    rounds_needed: int | None = None
    """For `not shown`: how many rounds would show it; None if more than a thousand, or if its error is not known."""

    @property
    def ratio(self) -> float | None:
        """Return the ratio that was measured."""
        return math.exp(self.found.rounds.mean) * self.point.times if isinstance(self.found, Found) else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return its 95 % interval, wider for a run that looked at its figures."""
        if isinstance(self.found, Absent) or self.found.estimate is None:
            return None
        low, high = self.found.estimate.interval(confidence_of(self.found.looks))
        return low * self.point.times, high * self.point.times


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict."""

    guidance: GuidanceSpec
    claim: ClaimSpec
    points: tuple[JudgedPoint, ...]
    lacking: str | None = None
    """What it needs and the machine lacks."""

    @property
    def verdict(self) -> Verdict:
        """Return what follows from its comparisons: a claim holds if all of them hold, and does not if one does not."""
        of = {one.verdict for one in self.points} or {Verdict.NOT_MEASURED}
        order = (
            Verdict.DOES_NOT_HOLD,
            Verdict.NOT_SHOWN,
            Verdict.NOT_ABOUT_THIS_PLACE,
            Verdict.NOT_MEASURED,
            Verdict.HOLDS,
        )
        return next(one for one in order if one in of)


def verdicts_of(run: CountedRun, catalogue: Catalogue) -> list[JudgedClaim]:
    """Return every claim of the catalogue with its verdict on one run."""
    return judge(catalogue.claims(), [run], catalogue.clients)


def judge(
    claims: Sequence[Named], runs: Iterable[CountedRun], clients: dict[str, ClientSpec], here: Capacity = UNLIMITED
) -> list[JudgedClaim]:
    """Return every claim with its verdict, in the order given; `here` is what would measure what is not measured."""
    judged_runs = [JudgedRun(run, clients) for run in runs]
    return judge_each([(named, judged_runs) for named in claims], here)


def judge_each(claims: Sequence[tuple[Named, Sequence[JudgedRun]]], here: Capacity = UNLIMITED) -> list[JudgedClaim]:
    """Return every claim with its verdict on the runs beside it; all of them together are one family."""
    lacking = [_lacking(claim, runs, here) for (_, claim), runs in claims]
    points = [point for (_, claim), _ in claims for point in claim.points]
    found = [
        _found(named, point, runs, why)
        for (named, runs), why in zip(claims, lacking, strict=True)
        for point in named[1].points
    ]
    p_values = {
        number: _p_value(point, one, one.estimate)
        for number, (point, one) in enumerate(zip(points, found, strict=True))
        if isinstance(one, Found) and one.estimate is not None
    }
    shown = shown_of(p_values)
    undecided = max(1, len(p_values) - len(shown))
    judged = iter(
        _judged(point, one, undecided, is_shown=number in shown)
        for number, (point, one) in enumerate(zip(points, found, strict=True))
    )
    return [
        JudgedClaim(guidance, claim, tuple(islice(judged, len(claim.points))), why)
        for ((guidance, claim), _), why in zip(claims, lacking, strict=True)
    ]


def _lacking(claim: ClaimSpec, runs: Sequence[JudgedRun], here: Capacity) -> str | None:
    """Return what the claim needs and this machine lacks, or the machine of every run."""
    cpus = max((run.cpus for run in runs), default=0)
    too_few = f"needs {claim.needs.cpus} CPUs; the run's machine had {cpus}" if cpus < (claim.needs.cpus or 0) else None
    return claim.lacking(here) or too_few


def _found(named: Named, point: Point, runs: Sequence[JudgedRun], lacking: str | None) -> Found | Absent:
    """Return the ratio from the runs whose machines were large enough, or why there is none."""
    guidance, claim = named
    large_enough = [run for run in runs if run.cpus >= (claim.needs.cpus or 0)]
    found = evidence_for(claim, point, large_enough, guidance.versions)
    return Absent(lacking) if isinstance(found, Absent) and lacking else found


def _p_value(point: Point, found: Found, estimate: Estimate) -> float:
    """Return the p-value of the verdict that the ratio suggests: twice the one-sided one, as in the interval."""
    not_above_low, not_above_high = map(estimate.p_not_above, point.bounds)
    inside = max(not_above_low, 1 - not_above_high)
    ends = sum(map(math.isfinite, point.bounds))  # with two, either test may err
    outside = min(1.0, ends * min(1 - not_above_low, not_above_high))
    return min(1.0, 2 * min(inside, outside) * found.looks)


def _judged(point: Point, found: Found | Absent, undecided: int, *, is_shown: bool) -> JudgedPoint:
    if isinstance(found, Absent):
        verdict = Verdict.NOT_ABOUT_THIS_PLACE if found.is_elsewhere else Verdict.NOT_MEASURED
        return JudgedPoint(point, verdict, found)
    if not is_shown:
        return JudgedPoint(point, Verdict.NOT_SHOWN, found, _rounds_needed(point, found, undecided))
    low, high = point.bounds
    holds = low < found.rounds.mean < high
    return JudgedPoint(point, Verdict.HOLDS if holds else Verdict.DOES_NOT_HOLD, found)


def _rounds_needed(point: Point, found: Found, undecided: int) -> int | None:
    """Return how many rounds would show it, in four of five runs, if the ratio is what was measured.

    The `undecided` comparisons share the allowed error: those that are shown already need none of it.
    """
    estimate = found.estimate
    if estimate is None:
        return None
    distance = min(abs(estimate.mean - end) for end in point.bounds)
    deviation = estimate.error * math.sqrt(estimate.rounds)
    tail = (1 - CONFIDENCE) / undecided / found.looks / 2
    for rounds in range(estimate.rounds + 1, MOST_ROUNDS + 1):
        degrees = estimate.degrees + rounds - estimate.rounds
        reach = float(scipy.special.stdtrit(degrees, 1 - tail)) + float(scipy.special.stdtrit(degrees, POWER))
        if distance >= reach * deviation / math.sqrt(rounds):
            return rounds
    return None
