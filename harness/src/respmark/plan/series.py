"""Releases of a library in blocks that share a control: a series on one scale, however many releases it has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from respmark.plan.claims import MOST_CELLS
from respmark.plan.needs import MIB
from respmark.plan.trial import Cell, by_block
from respmark.specs.runner import RunnerSpec

LEAST_CELLS: Final = 3
"""The control and two neighbours."""
TWELVE: Final = 14
"""Cells of twelve releases: the control is in both of their blocks, and so is one more release."""


def in_series(
    cells: Sequence[Cell], control: str, runners: Mapping[str, RunnerSpec], memory_bytes: int | None = None
) -> list[Cell]:
    """Return the cells of releases that are given in order, in blocks with the control first.

    A block that would have more than `MOST_CELLS`, or does not fit into memory, becomes several. Each of them begins
    with the last release of the one before, so that all neighbours take turns in one block.

    Args:
        cells: Those of each use, from the oldest release to the newest.
        control: The client that is in every block.
        runners: What their processes need.
        memory_bytes: What the processes of a block may use together; None: no limit.
    """
    made = [cell for block in by_block(cells) for cell in _blocks(block, control, runners, memory_bytes)]
    return made + [cell for cell in cells if cell.unsupported is not None]


def _blocks(
    block: Sequence[Cell], control: str, runners: Mapping[str, RunnerSpec], memory_bytes: int | None
) -> list[Cell]:
    # Where the control cannot be measured, the oldest release that can takes its place.
    shared = next((cell for cell in block if cell.client.name == control), block[0])
    others = [cell for cell in block if cell is not shared]
    largest = max(runners[cell.client.runner].memory_mib * MIB * cell.shape.processes for cell in block)
    most = MOST_CELLS if memory_bytes is None else min(MOST_CELLS, max(LEAST_CELLS, memory_bytes // largest))
    neighbours = len(others) - 1
    count = max(1, -(-neighbours // (most - 2)))
    if count == 1:
        return [shared, *others]
    ends = [neighbours * number // count for number in range(count + 1)]
    return [
        replace(cell, block_name=f"{cell.whole_block}--releases={number}")
        for number, (begin, end) in enumerate(pairwise(ends), start=1)
        for cell in (shared, *others[begin : end + 1])
    ]


def minutes_of(minutes: float | None, cells: Sequence[Cell]) -> float | None:
    """Return how long a series may take, if twelve releases in one use may take so many minutes."""
    measured = sum(cell.unsupported is None for cell in cells)
    return minutes and minutes * max(1.0, measured / TWELVE)
