"""What a reader must know besides the figures, of whatever kind of trial; each kind adds what only it has."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from respmark.figures.cells import Cell
from respmark.report.header import WARNING, alarms
from respmark.report.kind import kind_of
from respmark.report.labels import NAMED, cell_label, cell_name, in_shape, listed
from respmark.results.manifest import Manifest
from respmark.results.records import Status

PARTIAL: Final = "* from fewer rounds or slices than planned"


def cell_note(cell: Cell) -> str | None:
    """Return one note on a cell: reasons, and what its figures show that the scenario's name does not suggest."""
    if cell.status is Status.MISSING:
        return None  # the same for every scenario: it is said once, below all tables
    if cell.status is Status.UNSUPPORTED:
        return f"{cell.client}: {cell.status}: {cell.reason}"
    notes = "; ".join(_notes(cell))
    return f"{cell.subject}{in_shape(cell)}: {notes}" if notes else None


def _notes(cell: Cell) -> Iterator[str]:
    if cell.measured is None:
        yield f"{cell.status}: {cell.reason}"
        return
    if cell.reason:
        yield cell.reason
    yield from kind_of(cell.run).notes(cell)


def without_baseline(cells: Iterable[Cell], baseline: str | None) -> Iterator[str]:
    """Yield where a table has no ratios, as the baseline that was asked for has no figures there."""
    measured = [cell for cell in cells if cell.measured]
    there = {cell.block for cell in measured if cell.client == baseline}
    without = dict.fromkeys(cell_label(cell) for cell in measured if cell.block not in there)
    if baseline is not None and without:
        where = "; ".join(filter(None, without))
        yield f"no ratios{f' ({where})' if where else ''}: {baseline} has no figures there"


def missing_notes(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return why clients are missing, each client once."""
    notes = (f"{cell.client} is missing: {cell.reason}" for cell in cells if cell.status is Status.MISSING)
    return tuple(dict.fromkeys(notes))


def caveats(manifest: Manifest, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what to know before believing the figures of a run, in few lines; details are in the tables' notes."""
    yield from (line.removeprefix(WARNING) for line in alarms(manifest))
    yield from _without_figures(cells, is_named=bool(manifest.named_clients))
    if partial := [cell for cell in cells if cell.is_partial]:
        yield f"* lost rounds or slices: {listed(map(cell_name, partial))}"
    if cells:
        yield from kind_of(cells[0].run).caveats(cells)


def _without_figures(cells: Sequence[Cell], *, is_named: bool) -> Iterator[str]:
    """Yield which cells have no figures, and why; every reason if the user named the clients."""
    for status in (Status.FAILED, Status.NOT_MEASURED, Status.MISSING):
        by_reason: defaultdict[str, list[Cell]] = defaultdict(list)
        for cell in cells:
            if cell.status is status:
                by_reason[cell.reason or ""].append(cell)
        shown = len(by_reason) if is_named else NAMED
        for reason, found in list(by_reason.items())[:shown]:
            names = (cell.client if status is Status.MISSING else cell_name(cell) for cell in found)
            yield f"{status}: {listed(dict.fromkeys(names))}: {reason}"
        if more := list(by_reason.values())[shown:]:
            yield f"{status}: {sum(map(len, more))} more for other reasons"
