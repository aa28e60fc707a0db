"""How precise the ratios of a run are: the widths of their intervals."""

from collections.abc import Iterable
from statistics import median
from typing import Final

from respmark.contract.base import Count, Message
from respmark.statistics.blocks import Comparison, ShownRatio
from respmark.statistics.measured import COMPARED

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


def precision_of(comparisons: Iterable[Comparison | None]) -> dict[str, Precision]:
    """Return the widths of all intervals, by metric; a baseline has none."""
    found = [one for one in comparisons if one is not None]
    return {metric: _precision([one.ratio(metric) for one in found]) for metric in COMPARED}


def _precision(ratios: Iterable[ShownRatio]) -> Precision:
    widths = sorted(one.half_width * 100 for one in ratios if one.half_width is not None)
    return Precision(
        intervals=len(widths),
        half_width_percent_median=median(widths) if widths else None,
        half_width_percent_90=widths[-(-9 * len(widths) // 10) - 1] if widths else None,
        within_percent={step: sum(width <= step for width in widths) for step in STEPS_PERCENT},
    )
