"""How precisely ratios to baselines are known."""

from collections.abc import Iterable
from math import inf
from statistics import median
from typing import Final

from respmark.contract.base import Count, Message
from respmark.figures.cells import RunFigures
from respmark.figures.comparison import Change, by_cell, per_base
from respmark.figures.estimate import Ratio
from respmark.figures.kind import FigureKind
from respmark.figures.pairing import to_baseline

STEPS_PERCENT: Final = (2, 5, 10)


class Precision(Message):
    """The intervals of one metric, over all comparisons."""

    intervals: Count
    half_width_percent_median: float | None
    """Half the interval's width, in percent of the ratio; null if there are too few rounds for intervals."""
    half_width_percent_90: float | None
    """Nine in ten intervals are at most this wide."""
    within_percent: dict[int, Count]
    """How many intervals are at most this wide, by half width in percent."""


def precision_of(kind: FigureKind, comparisons: Iterable[Change | None]) -> dict[str, Precision]:
    """Return the widths of all intervals, by metric; a baseline has none."""
    found = [one for one in comparisons if one is not None]
    return {metric: _precision([one.ratio(metric) for one in found]) for metric in kind.compared}


def _precision(ratios: Iterable[Ratio]) -> Precision:
    widths = sorted(one.half_width * 100 for one in ratios if one.half_width is not None)
    return Precision(
        intervals=len(widths),
        half_width_percent_median=median(widths) if widths else None,
        half_width_percent_90=widths[-(-9 * len(widths) // 10) - 1] if widths else None,
        within_percent={step: sum(width <= step for width in widths) for step in STEPS_PERCENT},
    )


def half_widths(run: RunFigures) -> dict[str, float]:
    """Return how precisely each cell is compared: the widest half width of what releases are compared in, too."""
    found = by_cell(to_baseline(run), per_base).items()
    widths = {cell_id: [one.ratio(metric).half_width for metric in run.kind.in_series] for cell_id, one in found}
    return {cell_id: max(inf if width is None else width for width in of_cell) for cell_id, of_cell in widths.items()}


def too_wide(run: RunFigures, half_width: float) -> dict[str, float]:
    """Return the half widths that are larger than wanted, by cell."""
    return {cell_id: width for cell_id, width in half_widths(run).items() if width > half_width}
