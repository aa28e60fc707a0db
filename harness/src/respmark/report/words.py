"""What a reader must know beside the figures, in words made from evidence."""

from collections.abc import Iterable, Iterator
from typing import Final

from respmark.contract.trial import Scenario
from respmark.records import Status
from respmark.statistics.cells import Cell, Measured

ALONE_COMMANDS_PER_READ: Final = 1.5
"""Below this, the server found hardly ever two commands in one read."""
DRIFT_PERCENT: Final = 10.0
"""Halves of the window that differ by more were not warmed up, or the machine changed its pace."""


def cell_words(cell: Cell) -> str:
    """Return what stands in a table in place of a figure."""
    return str(cell.status)


def footnotes(cells: Iterable[Cell]) -> Iterator[str]:
    """Return the notes of a table: reasons, and what the wire shows against the scenario's name."""
    for cell in cells:
        yield from _reasons(cell)
        if cell.measured is not None:
            yield from _wire(cell, cell.measured)
            yield from _drift(cell, cell.measured)


def missing_notes(cells: Iterable[Cell]) -> list[str]:
    """Return why clients are missing, each client once."""
    notes = (f"{cell.client} is missing: {cell.reason}" for cell in cells if cell.status is Status.MISSING)
    return list(dict.fromkeys(notes))


def _reasons(cell: Cell) -> Iterator[str]:
    if cell.status is Status.MISSING:
        return  # the same for every scenario: it stands once, below all tables
    if cell.status is not Status.OK:
        yield f"{cell.client}: {cell.status}: {cell.reason}"
    elif cell.rounds_failed:
        yield f"* {cell.client}: {cell.reason}"


def _wire(cell: Cell, measured: Measured) -> Iterator[str]:
    """Say so when what went over the wire is not what the scenario's name makes one think of."""
    depth = cell.shape.depth or 1
    reads = measured.commands_per_read
    if cell.scenario is not Scenario.PIPELINING or depth == 1 or reads is None:
        return
    if measured.connections_open > 1 and reads < ALONE_COMMANDS_PER_READ:
        yield (
            f"{cell.client}: the server saw {measured.connections_open} connections and {reads:.1f} commands a read at "
            f"depth {depth}: each command in flight has a connection of its own, and none shares a read with another"
        )


def _drift(cell: Cell, measured: Measured) -> Iterator[str]:
    if measured.drift_percent is not None and abs(measured.drift_percent) > DRIFT_PERCENT:
        yield (
            f"{cell.client}: the second half of the window ran {measured.drift_percent:+.0f} % against the first "
            f"(median over rounds): a longer --warmup-s may be needed"
        )
