"""The ratios of pairs: made nowhere else, so that one pair has one interval, whichever view shows it.

Views differ in which of their ratios are corrected for each other (the family), hence in what is shown.
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from respmark.figures.cells import Cell
from respmark.figures.estimate import UNKNOWN, Estimate, Ratio, change_of, confidence_of, corrected
from respmark.figures.kind import FigureKind
from respmark.figures.pairing import Pair, row_of

Family = Callable[[Pair, str], Hashable]
"""What the ratios of pairs have in common that are corrected for each other (Holm); the second is the metric."""


def per_base(pair: Pair, metric: str) -> Hashable:
    """All ratios to a baseline: of the tables of clients."""
    return metric, pair.base.cell_id


def per_row(pair: Pair, metric: str) -> Hashable:
    """All pairs of a row: whoever looks at all of them, or picks the best, makes that many comparisons."""
    return metric, row_of(pair.new)


def per_block(pair: Pair, metric: str) -> Hashable:
    """All of a block."""
    return metric, pair.new.block


def per_metric(_: Pair, metric: str) -> Hashable:
    """All that are compared at once: two runs, a series of releases."""
    return metric


def together(_: Pair, __: str) -> Hashable:
    """All, in whichever metric: of a table that shows them side by side."""
    return None


@dataclass(frozen=True, eq=False)
class Change:
    """The ratios of a pair's figures, by metric; those are left out of which the two have no lap in common."""

    pair: Pair
    estimates: Mapping[str, Estimate]
    """Of the ratios that have an interval."""
    ratios: Mapping[str, Ratio]

    @property
    def new(self) -> Cell:
        """Return the cell whose figures are divided."""
        return self.pair.new

    @property
    def base(self) -> Cell:
        """Return the cell by whose figures they are divided."""
        return self.pair.base

    @property
    def kind(self) -> FigureKind:
        """Return the kind of the two cells."""
        return self.pair.new.run.kind

    @property
    def main(self) -> Ratio:
        """Return the ratio that stands for all."""
        return self.ratio(self.kind.main)

    @property
    def control(self) -> str | None:
        """Return the client through which they are compared, if they did not take turns."""
        return self.pair.through[0].client if self.pair.through else None

    def ratio(self, metric: str) -> Ratio:
        """Return the ratio of one metric, by its key; it is not known if one of the cells lacks it."""
        return self.ratios.get(metric, UNKNOWN)


def changes(pairs: Sequence[Pair], family: Family, metrics: Collection[str] | None = None) -> list[Change]:
    """Return the change of each pair, with what it shows once the ratios of a family are corrected for each other.

    In these metrics, by default all that its kind compares.
    """
    found = [_uncorrected(pair, pair.new.run.kind.compared if metrics is None else metrics) for pair in pairs]
    ratios = {(number, metric): one for number, of in enumerate(found) for metric, one in of.ratios.items()}
    shown = corrected(ratios, lambda key: family(pairs[key[0]], key[1]), lambda key: pairs[key[0]].looks)
    return [
        Change(one.pair, one.estimates, {metric: shown[number, metric] for metric in one.ratios})
        for number, one in enumerate(found)
    ]


def by_cell(pairs: Sequence[Pair], family: Family) -> dict[str, Change]:
    """Return the changes of pairs that have a lap in common, by the cell whose figures are divided."""
    return {one.new.cell_id: one for one in changes(pairs, family) if one.main.is_known}


def _uncorrected(pair: Pair, metrics: Collection[str]) -> Change:
    estimates: dict[str, Estimate] = {}
    ratios: dict[str, Ratio] = {}
    for metric in metrics:
        if (estimate := _estimate(pair, metric)) is not None:
            estimates[metric], ratios[metric] = estimate, estimate.ratio(confidence_of(pair.looks))
        elif pair.through is None and (found := pair.new.run.log_ratios(pair.new, pair.base, metric)) is not None:
            ratios[metric] = Ratio(value=math.exp(found.mean))
    return Change(pair, estimates, ratios)


def _estimate(pair: Pair, metric: str) -> Estimate | None:
    """Return a ratio's estimate; None where there are too few rounds to know its error, or none."""
    if pair.through is None:
        return pair.new.run.estimate(pair.new, pair.base, metric)
    sides = zip((pair.new, pair.base), pair.through, strict=True)
    after, before = (cell.run.estimate(cell, control, metric) for cell, control in sides)
    return None if after is None or before is None else change_of(before, after)
