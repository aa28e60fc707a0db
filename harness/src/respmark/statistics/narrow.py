"""Finds the comparisons whose intervals are wider than wanted."""

from statistics import median

from respmark.results.manifest import Until
from respmark.statistics.blocks import Blocks, Comparison, comparisons_of


def wide_comparisons(blocks: Blocks, until: Until) -> dict[str, float]:
    """Return the half widths that are larger than wanted, by cell: the wider of RPS and client CPU per command."""
    widths = {cell_id: _half_width(one) for cell_id, one in comparisons_of(blocks, looks=until.looks).items()}
    return {cell_id: width for cell_id, width in widths.items() if width > until.half_width}


def _half_width(comparison: Comparison) -> float:
    widths = [ratio.half_width for ratio in (comparison.ratio("rps"), comparison.ratio("client_cpu"))]
    return max(float("inf") if width is None else width for width in widths)


def least_certain_blocks(blocks: Blocks) -> list[str]:
    """Return the names of the blocks that compare clients, the one with the widest intervals first (their median)."""
    found = comparisons_of(blocks)
    widths = {
        name: median(wide)
        for name, cells in blocks.items()
        if (wide := [_half_width(found[cell_id]) for cell_id in cells if cell_id in found])
    }
    return sorted(widths, key=lambda name: -widths[name])
