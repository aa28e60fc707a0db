"""Whether claims hold: one-sided tests against their bounds, all of them together at the stated confidence.

A comparison holds if its ratio is shown to lie within the claim's bounds, and does not hold if it is shown to lie
outside. For a single comparison, this means that its 95 % interval lies inside or outside. All comparisons that are
judged together are one family (Holm): with 95 % confidence, none of their verdicts `holds` and `does not hold` is
wrong.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import scipy

from respmark.guidance.evidence import Absent, ComparedRun, Found, evidence_for
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import ClaimSpec, GuidanceSpec, Named, Point
from respmark.statistics.cells import CountedRun
from respmark.statistics.compare import CONFIDENCE, Estimate, confidence_of, shown_of

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


@dataclass(frozen=True)
class JudgedPoint:
    """One comparison of a claim."""

    point: Point
    verdict: Verdict
    found: Found | Absent
    rounds_needed: int | None = None
    """For `not shown`: how many rounds would show it; None if more than a thousand, or if its error is not known."""

    @property
    def ratio(self) -> float | None:
        """Return the ratio that was measured."""
        return math.exp(self.found.rounds.mean) if isinstance(self.found, Found) else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return its 95 % interval, wider for a run that looked at its figures."""
        if isinstance(self.found, Absent) or self.found.estimate is None:
            return None
        return self.found.estimate.interval(confidence_of(self.found.looks))


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict."""

    guidance: GuidanceSpec
    claim: ClaimSpec
    points: tuple[JudgedPoint, ...]

    @property
    def verdict(self) -> Verdict:
        """Return what follows from its comparisons: a claim holds if all of them hold, and does not if one does not."""
        of = {one.verdict for one in self.points} or {Verdict.NOT_MEASURED}
        order = (Verdict.DOES_NOT_HOLD, Verdict.NOT_SHOWN, Verdict.NOT_MEASURED, Verdict.HOLDS)
        return next(one for one in order if one in of)


def judge(claims: Iterable[Named], runs: Sequence[ComparedRun], clients: dict[str, ClientSpec]) -> list[JudgedClaim]:
    """Return every claim with its verdict, in the order given."""
    claims = list(claims)
    found = {
        (place, number): evidence_for(point, runs, clients)
        for place, (_, claim) in enumerate(claims)
        for number, point in enumerate(claim.points)
    }
    known = {key: one for key, one in found.items() if isinstance(one, Found) and one.estimate is not None}
    shown = shown_of({key: _p_value(claims[key[0]][1].points[key[1]], one) for key, one in known.items()})
    undecided = max(1, len(known) - len(shown))
    return [
        JudgedClaim(
            guidance,
            claim,
            tuple(
                _judged(point, found[place, number], undecided, is_shown=(place, number) in shown)
                for number, point in enumerate(claim.points)
            ),
        )
        for place, (guidance, claim) in enumerate(claims)
    ]


def verdicts_of(run: CountedRun, catalogue: Catalogue) -> list[JudgedClaim]:
    """Return every claim of the catalogue with its verdict on one run."""
    return judge(catalogue.claims(), [ComparedRun(run)], catalogue.clients)


def _p_value(point: Point, found: Found) -> float:
    """Return the p-value of the verdict that the ratio suggests: twice the one-sided one, as in the interval."""
    if found.estimate is None:
        return 1.0
    inside, outside = p_inside(point, found.estimate), p_outside(point, found.estimate)
    return min(1.0, 2 * min(inside, outside) * found.looks)


def p_inside(point: Point, estimate: Estimate) -> float:
    """Return the p-value of the hypothesis that the ratio is outside the claim's bounds: the larger of both ends'."""
    low, high = point.bounds
    return max(estimate.p_not_above(low), 1 - estimate.p_not_above(high))


def p_outside(point: Point, estimate: Estimate) -> float:
    """Return the p-value of the hypothesis that the ratio is within the bounds; with two, either test may err."""
    ends = [end for end in point.bounds if math.isfinite(end)]
    low, high = point.bounds
    return min(1.0, len(ends) * min(1 - estimate.p_not_above(low), estimate.p_not_above(high)))


def _judged(point: Point, found: Found | Absent, undecided: int, *, is_shown: bool) -> JudgedPoint:
    if isinstance(found, Absent):
        return JudgedPoint(point, Verdict.NOT_MEASURED, found)
    if not is_shown:
        return JudgedPoint(point, Verdict.NOT_SHOWN, found, rounds_needed(point, found, undecided))
    low, high = point.bounds
    holds = low < found.rounds.mean < high
    return JudgedPoint(point, Verdict.HOLDS if holds else Verdict.DOES_NOT_HOLD, found)


def rounds_needed(point: Point, found: Found, undecided: int) -> int | None:
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
