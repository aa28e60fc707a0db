"""Splits blocks whose processes do not fit into memory together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from respmark.plan.trial import Cell
from respmark.specs.runner import RunnerSpec

MIB: Final = 2**20


def needed_bytes(cells: Iterable[Cell], runners: Mapping[str, RunnerSpec]) -> int:
    """Return how much memory the processes of these cells need together."""
    return sum(runners[cell.client.runner].memory_mib * MIB * cell.shape.processes for cell in cells)


def in_memory(cells: Sequence[Cell], runners: Mapping[str, RunnerSpec], memory_bytes: int) -> list[Cell]:
    """Return the cells; blocks that do not fit are split into parts, each with the block's first client.

    All others are compared with the first client: because it is in every part, every client still has its ratio. A part
    has at least two clients, whatever they need.
    """
    blocks: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.unsupported is None:
            blocks.setdefault(cell.block, []).append(cell)
    split = {cell.id: cell for block in blocks.values() for cell in _parts(block, runners, memory_bytes)}
    placed = [split.pop(cell.id, cell) for cell in cells]
    return placed + list(split.values())


def _parts(block: list[Cell], runners: Mapping[str, RunnerSpec], memory_bytes: int) -> Iterator[Cell]:
    """Yield the cells of one block; from its second part on, they name their part."""
    baseline, *others = block
    part, members = 1, [baseline]
    for cell in others:
        if len(members) > 1 and needed_bytes([*members, cell], runners) > memory_bytes:
            part, members = part + 1, [baseline]
        if part > 1 and len(members) == 1:
            yield replace(baseline, part=part, copy=part)
        members.append(cell)
        yield replace(cell, part=part) if part > 1 else cell
    yield baseline
