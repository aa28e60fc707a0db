"""Whether claims hold: one-sided tests against their bounds, all of them together at the stated confidence.

A comparison holds if its ratio is shown to lie within the claim's bounds, and does not hold if it is shown to lie
outside. For a single comparison, this means that its 95 % interval lies inside or outside. All comparisons that are
judged together are one family (Holm): with 95 % confidence, none of their verdicts `holds` and `does not hold` is
wrong. Ratios are of cells that took turns in a block; which block must not depend on the figures: picking the one that
says what one wants to hear shows nothing.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import islice, product
from typing import Final

import scipy

from respmark.figures.blocks import prior_of_run, rounds_between
from respmark.figures.cells import CountedRun
from respmark.figures.compare import CONFIDENCE, Estimate, Rounds, confidence_of, estimate_of, shown_of
from respmark.results.manifest import PlannedCell
from respmark.results.records import Status
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import UNLIMITED, Capacity, CellSpec, ClaimSpec, GuidanceSpec, Named, Point
from respmark.specs.naming import one_client

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
class Found:
    """What a block says about two cells that took turns in it."""

    run_id: str
    block: str
    rounds: Rounds
    estimate: Estimate | None
    """None with one round, which shows nothing about how processes differ."""
    looks: int
    """How often the run was allowed to look at its own figures."""
    versions: tuple[str, str]
    """The loaded versions of the libraries of the cell and of the one that it is compared with."""


@dataclass(frozen=True)
class JudgedPoint:
    """One comparison of a claim."""

    point: Point
    verdict: Verdict
    found: Found | str
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
        if isinstance(self.found, str) or self.found.estimate is None:
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
        order = (Verdict.DOES_NOT_HOLD, Verdict.NOT_SHOWN, Verdict.NOT_MEASURED, Verdict.HOLDS)
        return next(one for one in order if one in of)


def verdicts_of(run: CountedRun, catalogue: Catalogue) -> list[JudgedClaim]:
    """Return every claim of the catalogue with its verdict on one run."""
    return judge(catalogue.claims(), [run], catalogue.clients)


def judge(
    claims: Sequence[Named], runs: Iterable[CountedRun], clients: dict[str, ClientSpec], here: Capacity = UNLIMITED
) -> list[JudgedClaim]:
    """Return every claim with its verdict, in the order given; `here` is what would measure what is not measured."""
    asked = [_AskedRun(run, clients) for run in runs]
    points = [point for _, claim in claims for point in claim.points]
    lacking = [_lacking(claim, asked, here) for _, claim in claims]
    found = [
        _found(claim, point, asked, why)
        for (_, claim), why in zip(claims, lacking, strict=True)
        for point in claim.points
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
        for (guidance, claim), why in zip(claims, lacking, strict=True)
    ]


def _lacking(claim: ClaimSpec, runs: Sequence["_AskedRun"], here: Capacity) -> str | None:
    """Return what the claim needs and this machine lacks, or the machine of every run."""
    cpus = max((run.cpus for run in runs), default=0)
    too_few = f"needs {claim.needs.cpus} CPUs; the run's machine had {cpus}" if cpus < (claim.needs.cpus or 0) else None
    return claim.lacking(here) or too_few


def _found(claim: ClaimSpec, point: Point, runs: Sequence["_AskedRun"], lacking: str | None) -> Found | str:
    """Return the ratio from the runs whose machines were large enough, or why there is none."""
    found = _evidence_for(point, [run for run in runs if run.cpus >= (claim.needs.cpus or 0)])
    return found if isinstance(found, Found) else lacking or found


class _AskedRun:
    def __init__(self, run: CountedRun, clients: dict[str, ClientSpec]) -> None:
        self.run, self.clients, self.cpus = run, clients, run.manifest.machine.cpus
        self.prior = cache(partial(prior_of_run, run.blocks))
        self.cells: defaultdict[tuple[object, ...], dict[str, PlannedCell]] = defaultdict(dict)
        # Behind one round trip all claims are judged; those that name round trips need a run that has them.
        trips = {cell.shape.rtt_ms for cell in run.manifest.cells}
        own = {"workload": run.manifest.workload["name"], "server": run.manifest.target.name}
        for cell in run.manifest.cells:
            shapes = [cell.shape, *([cell.shape.model_copy(update={"rtt_ms": None})] if len(trips) == 1 else [])]
            # What is the run's own need not be named, neither by a cell nor by a claim.
            given = [(getattr(cell, name), {None, name_of_run}) for name, name_of_run in own.items()]
            names = [alike if one in alike else {one} for one, alike in given]
            for shape, workload, server in product(shapes, *names):
                self.cells[cell.client.name, cell.scenario, shape, workload, server][cell.block] = cell

    def planned(self, side: CellSpec) -> dict[str, PlannedCell]:
        """Return the run's cells of this client, scenario, shape, workload and server, by block."""
        name = one_client(side.client, self.clients).name
        return self.cells.get((name, side.scenario, side.shape, side.workload, side.server), {})

    def pairs(self, point: Point) -> Iterator[Found]:
        """Yield the point's ratio in every block that has both cells."""
        both = self.planned(point.cell), self.planned(point.against)
        for block, found in self.run.blocks.items():
            one, other = (found.get(cells[block].cell_id) if block in cells else None for cells in both)
            if one and other and (rounds := rounds_between(one, other, point.metric)):
                estimate = estimate_of(rounds, self.prior(point.metric))
                manifest, versions = self.run.manifest, (one.library_version, other.library_version)
                yield Found(manifest.run_id, block, rounds, estimate, manifest.looks, versions)


def _evidence_for(point: Point, runs: Sequence[_AskedRun]) -> Found | str:
    """Return the ratio from the block with the most rounds, or from the first if there are several; or why not."""
    found = [one for run in runs for one in run.pairs(point)]
    return max(found, key=lambda one: len(one.rounds)) if found else _why_absent(point, runs)


def _why_absent(point: Point, runs: Sequence[_AskedRun]) -> str:
    planned = {
        side.label: [(run.run, cell) for run in runs for cell in run.planned(side).values()]
        for side in (point.cell, point.against)
    }
    for label, cells in planned.items():
        if not cells:
            return f"no run has {label}"
    for label, cells in planned.items():
        if not any(cell.cell_id in block for run, cell in cells for block in run.blocks.values()):
            return f"{label}: {_why_not_counted(cells)}"
    return "both were measured, but not in turns in one block: figures of different blocks are not compared"


def _why_not_counted(cells: Iterable[tuple[CountedRun, PlannedCell]]) -> str:
    for run, cell in cells:
        for found in run.cells:
            if found.cell_id == cell.cell_id and found.status not in {Status.OK, Status.NOT_MEASURED}:
                return f"{found.status}: {found.reason}"
    return "the run ended before"


def _p_value(point: Point, found: Found, estimate: Estimate) -> float:
    """Return the p-value of the verdict that the ratio suggests: twice the one-sided one, as in the interval."""
    not_above_low, not_above_high = map(estimate.p_not_above, point.bounds)
    inside = max(not_above_low, 1 - not_above_high)
    ends = sum(map(math.isfinite, point.bounds))  # with two, either test may err
    outside = min(1.0, ends * min(1 - not_above_low, not_above_high))
    return min(1.0, 2 * min(inside, outside) * found.looks)


def _judged(point: Point, found: Found | str, undecided: int, *, is_shown: bool) -> JudgedPoint:
    if isinstance(found, str):
        return JudgedPoint(point, Verdict.NOT_MEASURED, found)
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
