"""How precise the ratios of a run are: the widths of their intervals, and which are wider than wanted."""

from collections.abc import Iterable
from statistics import median
from typing import Final

from respmark.contract.base import Count, Message
from respmark.results.manifest import Until
from respmark.statistics.blocks import Blocks, Comparison, ShownRatio, comparisons_of
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


def wide_comparisons(blocks: Blocks, until: Until) -> dict[str, float]:
    """Return the half widths that are larger than wanted, by cell: the wider of RPS and client CPU per command."""
    widths = {cell_id: _half_width(one) for cell_id, one in comparisons_of(blocks, looks=until.looks).items()}
    return {cell_id: width for cell_id, width in widths.items() if width > until.half_width}


def least_certain_blocks(blocks: Blocks) -> list[str]:
    """Return the names of the blocks that compare clients, the one with the widest intervals first (their median)."""
    found = comparisons_of(blocks)
    widths = {
        name: median(wide)
        for name, cells in blocks.items()
        if (wide := [_half_width(found[cell_id]) for cell_id in cells if cell_id in found])
    }
    return sorted(widths, key=lambda name: -widths[name])


def _half_width(comparison: Comparison) -> float:
    widths = [comparison.ratio(metric).half_width for metric in ("rps", "client_cpu")]
    return max(float("inf") if width is None else width for width in widths)
