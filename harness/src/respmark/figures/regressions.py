"""Whether clients regressed: each head compared with its base, and judged by a threshold.

Base and head are two versions or builds of one library that took turns in a run (`respmark run --client lib@file:base
--client lib@file:head`), or one client in two runs, by its ratio to a control. Everything that is judged together is
one family (Holm): if nothing has changed, at most 5 % of judgements show any change.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.contract.base import Message
from respmark.figures.between import change_estimates, controls_between
from respmark.figures.cells import CountedRun, ReportCell
from respmark.figures.compare import CONFIDENCE, Estimate, Ratio, confidence_of, rounds_to_show, with_claims
from respmark.figures.measured import COMPARED
from respmark.specs.naming import name_parts

MOST_ROUNDS: Final = 200
"""Nobody would measure more to have a regression shown."""


class RegressionOutcome(StrEnum):
    """What became of a client."""

    REGRESSED = "regressed"
    """It is shown to be worse, by more than the threshold."""
    WITHIN_THRESHOLD = "worse, within the threshold"
    IMPROVED = "improved"
    NOT_SHOWN = "no change shown"
    NOT_COMPARED = "not compared"
    """There is no ratio with an interval."""


class JudgedChange(Message):
    """A head compared with its base, in one scenario and shape."""

    base: ReportCell
    head: ReportCell
    control: str | None = None
    """The client that was the same in both runs, if there were two: ratios are the factor by which the ratio to it
    changed."""
    ratios: dict[str, Ratio]
    """The head's figures divided by the base's, by metric, each corrected for all others of its metric."""
    outcome: RegressionOutcome
    rounds_needed: int | None = None
    """For `no change shown`: how many rounds show a regression of the threshold in four runs of five, those that were
    measured if they are enough; null if more than anybody would measure."""


@dataclass(frozen=True)
class Standard:
    """What is judged, and how."""

    metric: str = "rps"
    threshold: float = 0.0
    """A larger loss is a regression; as a fraction of the base's figure, below 1."""

    @property
    def is_cost(self) -> bool:
        """Return whether less is better."""
        return COMPARED[self.metric][1].is_cost

    @property
    def bound(self) -> float:
        """Return the ratio of head to base beyond which the head has regressed."""
        return 1 + self.threshold if self.is_cost else 1 - self.threshold

    def outcome(self, ratio: Ratio | None) -> RegressionOutcome:
        """Return what a ratio with its interval says; None: there is none."""
        if ratio is None:
            return RegressionOutcome.NOT_COMPARED
        if not ratio.shown:
            return RegressionOutcome.NOT_SHOWN
        if (ratio.value > 1) is not self.is_cost:
            return RegressionOutcome.IMPROVED
        is_beyond = ratio.value > self.bound if self.is_cost else ratio.value < self.bound
        return RegressionOutcome.REGRESSED if is_beyond else RegressionOutcome.WITHIN_THRESHOLD


@dataclass(frozen=True)
class _Compared:
    """Two cells, and the estimates of the metrics that both have in enough rounds."""

    base: ReportCell
    head: ReportCell
    estimates: Mapping[str, Estimate]
    control: str | None = None


def changes_within(run: CountedRun, standard: Standard) -> list[JudgedChange]:
    """Return each client of a run against the first one of the same library and options, which is its base.

    Both took turns in the same block; there are none where no library was measured in two versions or builds.
    """
    counted = {cell_id: cell for cells in run.blocks.values() for cell_id, cell in cells.items()}
    compared = []
    for base, head in _pairs(run.cells):
        cells = counted.get(head.cell_id), counted.get(base.cell_id)
        estimates: dict[str, Estimate] = {}
        if cells[0] is not None and cells[1] is not None:
            found = {metric: run.ratios.estimate((cells[0], cells[1]), metric) for metric in COMPARED}
            estimates = {metric: estimate for metric, estimate in found.items() if estimate is not None}
        compared.append(_Compared(base, head, estimates))
    return list(_judged(compared, standard, confidence_of(run.manifest.looks)))


def _pairs(cells: Iterable[ReportCell]) -> Iterator[tuple[ReportCell, ReportCell]]:
    bases: dict[tuple[object, ...], ReportCell] = {}
    for cell in cells:
        place = cell.block, cell.scenario, cell.shape, cell.workload, cell.server
        base = bases.setdefault((cell.library, name_parts(cell.client).options, *place), cell)
        if base is not cell:
            yield base, cell


def changes_across(
    before: CountedRun, after: CountedRun, standard: Standard, control: str | None = None
) -> list[JudgedChange]:
    """Return each cell that two runs have against itself, through a control; without the controls.

    `control` is a client, by default each block's first whose versions are the same in both runs.
    """
    one, two = ({cell.cell_id: cell for cell in run.cells} for run in (before, after))
    controls = controls_between(before, after, control)
    changes = {metric: change_estimates(before, after, controls, metric) for metric in COMPARED}
    compared = [
        _Compared(
            cell,
            two[cell_id],
            {metric: of[cell_id] for metric, of in changes.items() if cell_id in of},
            one[controls[cell_id]].client if cell_id in controls else None,
        )
        for cell_id, cell in one.items()
        if cell_id in two and cell_id not in controls.values()
    ]
    return list(_judged(compared, standard, CONFIDENCE))


def _judged(compared: Sequence[_Compared], standard: Standard, confidence: float) -> Iterator[JudgedChange]:
    found = {
        (number, metric): estimate.ratio(confidence)
        for number, one in enumerate(compared)
        for metric, estimate in one.estimates.items()
    }
    ratios = with_claims(found, lambda key: key[1], confidence)
    tail = (1 - confidence) / 2 / max(1, sum(metric == standard.metric for _, metric in found))
    for number, one in enumerate(compared):
        estimate = one.estimates.get(standard.metric)
        outcome = standard.outcome(ratios.get((number, standard.metric)))
        yield JudgedChange(
            base=one.base,
            head=one.head,
            control=one.control,
            ratios={metric: ratios[number, metric] for metric in one.estimates},
            outcome=outcome,
            rounds_needed=_rounds_needed(estimate, standard, tail) if outcome is RegressionOutcome.NOT_SHOWN else None,
        )


def _rounds_needed(estimate: Estimate | None, standard: Standard, tail: float) -> int | None:
    if estimate is None or not standard.threshold:
        return None
    distance, most = abs(math.log(standard.bound)), max(MOST_ROUNDS, estimate.rounds)
    return rounds_to_show(estimate, distance, tail, most, estimate.rounds)
