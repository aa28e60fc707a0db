"""Cells compared with the baselines of their blocks, and how precisely that is known."""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Final

from respmark.contract.base import Count, Message
from respmark.figures.blocks import Blocks
from respmark.figures.compare import Ratio
from respmark.figures.measured import COMPARED
from respmark.figures.ratios import Pair, Ratios, RatioTable, compares_places, first_place_of
from respmark.results.manifest import Until


class Comparison(Ratios):
    """A cell compared with the baseline of its block."""

    baseline: str
    """ID of the baseline's cell."""
    baseline_client: str
    baseline_workload: str
    """Name of the baseline's workload: a block may compare workloads."""
    baseline_server: str
    """Name of the baseline's server, if the run has several: a block may compare them."""


def comparisons_of(table: RatioTable) -> dict[str, Comparison]:
    """Return the comparisons of all cells that have one, by cell; those with one baseline are a family."""
    return _comparisons(table, table.with_baselines)


def place_changes(table: RatioTable) -> dict[str, Comparison]:
    """Return how clients change from a block's first workload (server, round trip) on, by cell.

    They are of blocks that compare several clients in several places: each cell with the same client's first one. All
    of a block are a family.
    """
    pairs = {
        cell_id: (cell, first)
        for cells in table.blocks.values()
        if compares_places(cells)
        for cell_id, cell in cells.items()
        if (first := first_place_of(cell, cells)) is not cell
    }
    return _comparisons(table, pairs, by_block=True)


def _comparisons(table: RatioTable, pairs: Mapping[str, Pair], *, by_block: bool = False) -> dict[str, Comparison]:
    def family(cell_id: str, metric: str) -> tuple[str, str]:
        baseline = pairs[cell_id][1].trial
        return metric, baseline.block if by_block else baseline.cell_id

    ratios = table.ratios(pairs, family)
    return {
        cell_id: Comparison(
            baseline=other.trial.cell_id,
            baseline_client=other.trial.client.name,
            baseline_workload=other.trial.workload,
            baseline_server=other.trial.server,
            **ratios[cell_id],
        )
        for cell_id, (_, other) in pairs.items()
        if "rps" in ratios[cell_id]
    }


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


def _precision(ratios: Iterable[Ratio]) -> Precision:
    widths = sorted(one.half_width * 100 for one in ratios if one.half_width is not None)
    return Precision(
        intervals=len(widths),
        half_width_percent_median=median(widths) if widths else None,
        half_width_percent_90=widths[-(-9 * len(widths) // 10) - 1] if widths else None,
        within_percent={step: sum(width <= step for width in widths) for step in STEPS_PERCENT},
    )


def wide_comparisons(blocks: Blocks, until: Until) -> dict[str, float]:
    """Return the half widths that are larger than wanted, by cell: the wider of RPS and client CPU per command."""
    widths = {
        cell_id: _half_width(one) for cell_id, one in comparisons_of(RatioTable(blocks, looks=until.looks)).items()
    }
    return {cell_id: width for cell_id, width in widths.items() if width > until.half_width}


def _half_width(comparison: Comparison) -> float:
    widths = [comparison.ratio(metric).half_width for metric in ("rps", "client_cpu")]
    return max(float("inf") if width is None else width for width in widths)
