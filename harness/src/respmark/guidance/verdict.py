"""Whether claims hold: one-sided tests against their bounds, judged as `figures.families` says.

A comparison holds if its ratio is shown to lie within the claim's bounds, and does not hold if it is shown to lie
outside. For a single comparison, this means that its 95 % interval lies inside or outside. Ratios are of cells that
took turns in a block; `guidance.block` says which. A bound on the rounds of one cell is judged by counting them:
`guidance.bound`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.figures.estimate import confidence_of, rounds_to_show
from respmark.figures.families import ClaimTest, ComparisonTest, level_of
from respmark.guidance.block import Absent, Found, JudgedRun, block_for, is_of_others
from respmark.guidance.bound import JudgedBound, Rounds, judged_bounds
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import UNLIMITED, USUAL_SUITE, Capacity, ClaimSpec, GuidanceSpec, Named
from respmark.specs.statements import ClaimedBound, ClaimedRatio

MOST_TIMES: Final = 5
"""How many times the rounds of a run somebody would measure to have a comparison decided."""
MOST_S: Final = 3600.0
"""How long somebody would measure for it."""
MOST_ROUNDS: Final = 100
"""However short rounds are, nobody trusts what a few of them say of more."""


Pair = tuple[ClaimedRatio, Found | Absent]
"""A comparison of a claim, and what runs say of it."""


class Verdict(StrEnum):
    """What a run says about a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SHOWN = "not shown"
    NOT_MEASURED = "not measured"
    NOT_ABOUT_THIS_PLACE = "not about this place"
    """The claim is about a network, and the clients had none; or the other way round."""


@dataclass(frozen=True)
class JudgedRatio:
    """One comparison of a claim."""

    claimed: ClaimedRatio
    verdict: Verdict
    found: Found | Absent
    """The ratio, or why there is none."""
    rounds_needed: int | None = None
    """For `not shown`: how many rounds would show it; None if its error is not known, or if they are more than five
    times those of the run, and more than a hundred or than an hour has."""

    @property
    def ratio(self) -> float | None:
        """Return the ratio that was measured."""
        return math.exp(self.found.rounds.mean) * self.claimed.times if isinstance(self.found, Found) else None

    @property
    def minutes_needed(self) -> float | None:
        """Return about how long these rounds of its block take where it was measured."""
        if self.rounds_needed is None or isinstance(self.found, Absent) or self.found.round_s is None:
            return None
        return self.rounds_needed * self.found.round_s / 60

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return its 95 % interval, wider for a run that looked at its figures."""
        if isinstance(self.found, Absent) or self.found.estimate is None:
            return None
        low, high = self.found.estimate.interval(confidence_of(self.found.pair.looks))
        return low * self.claimed.times, high * self.claimed.times


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict."""

    guidance: GuidanceSpec
    claim: ClaimSpec
    ratios: tuple[JudgedRatio, ...]
    lacking: str | None = None
    """What it needs and the machine lacks."""
    bounds: tuple[JudgedBound, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Return what follows from its comparisons and bounds: it holds if all do, and does not if one does not.

        Of a claim about everyone, those of clients that were not measured say nothing.
        """
        parts = [(one.verdict, _counts(one.claimed, one.found)) for one in self.ratios]
        parts += [(verdict_on(one), _counts(one.claimed, one.found)) for one in self.bounds]
        of = {one for one, counts in parts if counts} or {one for one, _ in parts} or {Verdict.NOT_MEASURED}
        order = (
            Verdict.DOES_NOT_HOLD,
            Verdict.NOT_SHOWN,
            Verdict.NOT_ABOUT_THIS_PLACE,
            Verdict.NOT_MEASURED,
            Verdict.HOLDS,
        )
        return next(one for one in order if one in of)

    @property
    def is_measured(self) -> bool:
        """Return whether a run measured any of its comparisons or bounds."""
        found = (*(one.found for one in self.ratios), *(one.found for one in self.bounds))
        return not all(isinstance(one, Absent) for one in found)


def verdict_on(bound: JudgedBound) -> Verdict:
    """Return what follows from the rounds that are held against a bound."""
    if isinstance(bound.found, Absent):
        return Verdict.NOT_MEASURED
    return {True: Verdict.HOLDS, False: Verdict.DOES_NOT_HOLD, None: Verdict.NOT_SHOWN}[bound.shown]


def verdicts_of(run: RunFigures, catalogue: Catalogue, *, with_advice: bool = True) -> list[JudgedClaim]:
    """Return the claims that a run's report has, with their verdicts on it: advice, and what its own suite measures."""
    own = run.manifest.suite.get("guidance") or ()
    if not (own or with_advice):
        return []
    every = judge(catalogue.claims(others=measured_by_source([run])), [run], catalogue.clients)
    advice = {USUAL_SUITE} if with_advice else set[str]()
    return [one for one in every if one.guidance.suite in advice or one.guidance.name in own]


def measured_by_source(runs: Iterable[RunFigures]) -> dict[str, list[str]]:
    """Return the clients that runs have measured for the claims of each source, by its name."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for source in run.manifest.suite.get("guidance") or ():
            found.setdefault(source, {}).update(dict.fromkeys(cell.client.name for cell in run.manifest.cells))
    return {source: list(clients) for source, clients in found.items()}


def judge(
    claims: Sequence[Named], runs: Iterable[RunFigures], clients: dict[str, ClientSpec], here: Capacity = UNLIMITED
) -> list[JudgedClaim]:
    """Return every claim with its verdict, in the order given; `here` is what would measure what is not measured."""
    judged_runs = [JudgedRun(run, clients) for run in runs]
    return judge_each([(named, judged_runs) for named in claims], here)


def judge_each(claims: Sequence[tuple[Named, Sequence[JudgedRun]]], here: Capacity = UNLIMITED) -> list[JudgedClaim]:
    """Return every claim with its verdict on the runs beside it; all of them are one table (`families`)."""
    lacking = [_lacking(claim, runs, here) for (_, claim), runs in claims]
    found = [
        _without_others([(claimed, _found(named, claimed, runs, why)) for claimed in named[1].ratios])
        for (named, runs), why in zip(claims, lacking, strict=True)
    ]
    tests = [ClaimTest([_test(*pair) for pair in pairs if _counts(*pair)]) for pairs in found]
    level = level_of(tests)
    return [
        JudgedClaim(guidance, claim, tuple(_judged(pairs, test, level)), why, tuple(judged_bounds(claim, runs, why)))
        for ((guidance, claim), runs), pairs, test, why in zip(claims, found, tests, lacking, strict=True)
    ]


def _without_others(pairs: list[Pair]) -> list[Pair]:
    """Return a claim's comparisons without those of clients that no run was to measure, if any was to measure some.

    That is for claims about everyone.
    """
    return [pair for pair in pairs if not is_of_others(*pair)] or pairs


def _counts(claimed: ClaimedRatio | ClaimedBound, found: Found | Rounds | Absent) -> bool:
    """Return whether the claim depends on a comparison or bound: one about everyone is judged by who was measured."""
    return not (claimed.of_everyone and isinstance(found, Absent))


def _lacking(claim: ClaimSpec, runs: Sequence[JudgedRun], here: Capacity) -> str | None:
    """Return what the claim needs and this machine lacks, or the machine of every run."""
    cpus = max((run.cpus for run in runs), default=0)
    too_few = f"needs {claim.needs.cpus} CPUs; the run's machine had {cpus}" if cpus < (claim.needs.cpus or 0) else None
    return claim.lacking(here) or too_few


def _found(named: Named, claimed: ClaimedRatio, runs: Sequence[JudgedRun], lacking: str | None) -> Found | Absent:
    """Return the ratio from the runs whose machines were large enough, or why there is none."""
    guidance, claim = named
    large_enough = [run for run in runs if run.cpus >= (claim.needs.cpus or 0)]
    found = block_for(claim, claimed, large_enough, guidance.versions)
    return Absent(lacking) if isinstance(found, Absent) and lacking else found


def _test(claimed: ClaimedRatio, found: Found | Absent) -> ComparisonTest | None:
    """Return the tests of a ratio against its bounds; None without a ratio that has an interval."""
    if isinstance(found, Absent) or found.estimate is None:
        return None
    not_above_low, not_above_high = map(found.estimate.p_not_above, claimed.bounds)
    inside = max(not_above_low, 1 - not_above_high)
    outside = _ends(claimed) * min(1 - not_above_low, not_above_high)
    return ComparisonTest(min(1.0, inside * found.pair.looks), min(1.0, outside * found.pair.looks))


def _ends(claimed: ClaimedRatio) -> int:
    """Return how many bounds a comparison has; a ratio may lie beyond either."""
    return sum(map(math.isfinite, claimed.bounds))


def _judged(pairs: Sequence[Pair], test: ClaimTest, level: float) -> Iterator[JudgedRatio]:
    shown = iter(test.shown(level))
    for claimed, one in pairs:
        is_inside = next(shown) if _counts(claimed, one) else None
        if isinstance(one, Absent):
            verdict = Verdict.NOT_ABOUT_THIS_PLACE if one.is_elsewhere else Verdict.NOT_MEASURED
            yield JudgedRatio(claimed, verdict, one)
        elif is_inside is None:
            yield JudgedRatio(
                claimed, Verdict.NOT_SHOWN, one, _rounds_needed(claimed, one, level, len(test.comparisons))
            )
        else:
            yield JudgedRatio(claimed, Verdict.HOLDS if is_inside else Verdict.DOES_NOT_HOLD, one)


def _rounds_needed(claimed: ClaimedRatio, found: Found, level: float, comparisons: int) -> int | None:
    """Return how many rounds would show it, if the ratio is what was measured; None if nobody would measure so many."""
    estimate = found.estimate
    if estimate is None:
        return None
    low, high = claimed.bounds
    tests = 1 if low < estimate.mean < high else comparisons * _ends(claimed)
    distance = min(abs(estimate.mean - end) for end in claimed.bounds)
    in_time = int(MOST_S / found.round_s) if found.round_s else 0
    most = max(MOST_TIMES * estimate.rounds, min(MOST_ROUNDS, in_time))
    return rounds_to_show(estimate, distance, level / 2 / tests / found.pair.looks, most)
