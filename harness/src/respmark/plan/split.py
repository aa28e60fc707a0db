"""Splits blocks that are too large into several that share a client: each still has its ratios to that one.

A block is too large if its processes need more memory than there is. One of releases (`respmark versions`) is also too
large with more than `MOST_CELLS`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from respmark.plan.claims import MOST_CELLS
from respmark.plan.needs import needed_bytes
from respmark.plan.plan import PlannedCell, by_block
from respmark.specs.runner import RunnerSpec

LEAST_CELLS: Final = 3
"""Of a block of releases: the control and two neighbours."""
TWELVE: Final = 14
"""Cells of twelve releases: the control is in both of their blocks, and so is one more release."""

Cells = Sequence[PlannedCell]


def split(
    cells: Cells, runners: Mapping[str, RunnerSpec], memory_bytes: int | None = None, control: str | None = None
) -> list[PlannedCell]:
    """Return the cells, with each block that is too large in several.

    Args:
        cells: If there is a control: the releases in each use, from the oldest to the newest.
        runners: What their processes need.
        memory_bytes: Memory that the processes of a block may use together; None: no limit.
        control: The client that is to be in every block of releases; None: the plan is no series of releases.
    """
    if control is not None:
        made = [cell for block in by_block(cells) for cell in _in_series(block, control, runners, memory_bytes)]
        return made + [cell for cell in cells if cell.unsupported is not None]
    if memory_bytes is None:
        return list(cells)
    parts = {cell.id: cell for block in by_block(cells) for cell in _in_parts(block, runners, memory_bytes)}
    return [parts.pop(cell.id, cell) for cell in cells] + list(parts.values())


def _in_series(
    block: Cells, control: str, runners: Mapping[str, RunnerSpec], memory_bytes: int | None
) -> list[PlannedCell]:
    """Return the cells of releases in blocks of about the same size, each with the control first.

    Each block begins with the last release of the one before, so that all neighbours take turns in one block.
    """
    # Where the control cannot be measured, the oldest release that can takes its place.
    shared = next((cell for cell in block if cell.client.name == control), block[0])
    others = [cell for cell in block if cell is not shared]
    largest = max(needed_bytes([cell], runners) for cell in block)
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


def _in_parts(block: Cells, runners: Mapping[str, RunnerSpec], memory_bytes: int) -> Iterator[PlannedCell]:
    """Yield the cells of a block in parts that fit, each with the block's first client and at least one more.

    A block that compares clients in several places (workloads, servers, round trips) is split by place first: in each,
    all clients are compared.
    """
    part = 0
    for group in _by_place(block, runners, memory_bytes):
        part += 1
        baseline, *others = group
        members = [baseline]
        yield replace(baseline, part=part)
        for cell in others:
            if len(members) > 1 and needed_bytes([*members, cell], runners) > memory_bytes:
                part, members = part + 1, [baseline]
                yield replace(baseline, part=part, copy=part)
            members.append(cell)
            yield replace(cell, part=part)


def _by_place(block: Cells, runners: Mapping[str, RunnerSpec], memory_bytes: int) -> list[Cells]:
    """Return the cells of a block in groups of as many whole places as fit; one if it compares only clients."""
    places: dict[tuple[object, ...], list[PlannedCell]] = {}
    for cell in block:
        places.setdefault((cell.workload, cell.server, cell.shape.rtt_ms), []).append(cell)
    if len({cell.client.name for cell in block}) == 1 or len(places) == 1:
        return [block]
    groups: list[list[PlannedCell]] = []
    for place in places.values():
        if groups and needed_bytes([*groups[-1], *place], runners) <= memory_bytes:
            groups[-1] += place
        else:
            groups.append(list(place))
    return list(groups)


def series_minutes(minutes: float | None, cells: Cells) -> float | None:
    """Return how long a series may take, if twelve releases in one use may take so many minutes."""
    measured = sum(cell.unsupported is None for cell in cells)
    return minutes and minutes * max(1.0, measured / TWELVE)
