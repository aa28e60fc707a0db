"""The tables of a run: a chapter per scenario, a table per shape and workload, a row per client."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from math import inf
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import Cell
from respmark.figures.measured import COMPARED, name_of
from respmark.report.columns import FigureColumn, columns, ratio_text, same, written
from respmark.report.labels import Footnotes, cell_label
from respmark.report.notes import cell_note, table_notes
from respmark.report.table import Chapter, Column, Table, TableCell, kind, subject, table, without_empty_columns
from respmark.results.records import Status, on_server
from respmark.specs.scenario import ScenarioSpec, sample_covers


class Sort(StrEnum):
    """What rows are sorted by; those without figures come last."""

    RPS = "rps"
    CLIENT_CPU = "client-cpu"
    SERVER_CPU = "server-cpu"
    P99 = "p99"
    SUITE = "suite"
    """The suite's own order."""


LAST: Final = (Status.OK, Status.FAILED, Status.NOT_MEASURED, Status.UNSUPPORTED, Status.MISSING)
"""The order of rows by status: those without figures come last."""


def scenario_chapters(
    cells: Sequence[Cell], specs: Mapping[Scenario, ScenarioSpec], sort: Sort, baseline: str | None
) -> list[Chapter]:
    """Return the tables of all scenarios, in the order in which the cells name them."""
    scenarios = dict.fromkeys(cell.scenario for cell in cells)
    return [_chapter([c for c in cells if c.scenario is one], specs[one], sort, baseline) for one in scenarios]


def _chapter(cells: Sequence[Cell], spec: ScenarioSpec, sort: Sort, baseline: str | None) -> Chapter:
    notes = Footnotes()
    alike: dict[tuple[str, Shape], dict[str, Cell]] = {}
    for cell in cells:
        # By cell: if a block was split, its first client is in every part.
        alike.setdefault((cell.workload, cell.shape), {})[cell.cell_id] = cell
    tables = tuple(_table(sorted_cells(found.values(), sort), notes) for found in alike.values())
    all_notes = (*notes.numbered, *table_notes(cells, baseline))
    return Chapter(str(cells[0].scenario), (spec.summary,), tables, all_notes)


def sorted_cells(cells: Iterable[Cell], sort: Sort) -> list[Cell]:
    """Return the cells of one shape in the order of a table's rows."""
    if sort is Sort.SUITE:
        return list(cells)
    return sorted(cells, key=lambda cell: (LAST.index(cell.status), _sort_value(cell, sort)))


def _sort_value(cell: Cell, sort: Sort) -> tuple[float, float]:
    measured = cell.measured
    if measured is None:
        return 0, 0
    if sort is Sort.CLIENT_CPU:
        return inf if measured.client_cpu_us_per_command is None else measured.client_cpu_us_per_command, 0
    if sort is Sort.SERVER_CPU:
        return measured.server_cpu_us_per_command, 0
    if sort is Sort.P99:
        return inf if measured.p99_ms is None else measured.p99_ms, 0
    # By the ratios of laps, if there are any: figures over several processes and rounds are less certain.
    return cell.standing.place if cell.standing else inf, -measured.rps_median


def _table(cells: Sequence[Cell], notes: Footnotes) -> Table:
    shown = [subject(client_cell), *_columns(cells), Column("note", lambda cell: notes.number(cell_note(cell)))]
    (made,) = without_empty_columns([table(cell_label(cells[0]), cells, shown)])
    return made


def client_cell(cell: Cell) -> TableCell:
    """Return what names a row that is a client's."""
    return TableCell(cell.subject, "client")


def rps_cell(cell: Cell | None) -> TableCell:
    """Return a cell's commands per second, or what became of it."""
    if cell is None or cell.measured is None:
        status = Status.NOT_MEASURED if cell is None else cell.status
        return TableCell(str(status), kind(status))
    partial = " *" if cell.is_partial else ""
    return TableCell(f"{numbers.rps(cell.measured.rps_median)}{partial}", "partial" if partial else "ok")


def _columns(cells: Sequence[Cell]) -> Iterator[Column[Cell]]:
    baselines = _baselines(cells)
    to = f"to {baselines[0]}" if len(baselines) == 1 else "to the baseline"
    own = {cell.comparison.base.cell_id for cell in cells if cell.comparison}
    unit = sample_covers(cells[0].scenario, cells[0].shape)
    for one in columns():
        if isinstance(one, FigureColumn):
            # With a rate, there is no CPU per command.
            is_extra = one.is_extra and cells[0].scenario not in one.always_in
            is_extra = is_extra and not (one.key == "client_cpu_percent" and cells[0].shape.rate)
            yield Column(one.head.format(unit=unit), partial(_figure, one), is_extra=is_extra)
        elif any(cell.comparison and cell.comparison.ratio(one.compared).is_known for cell in cells):
            text = partial(_ratio, one.compared, own, baselines)
            yield Column(f"{name_of(one.compared)} ratio\n{to}", text, is_extra=one.is_extra)


def _figure(one: FigureColumn, cell: Cell) -> str | TableCell:
    if one.key == "rps_median":
        return rps_cell(cell)
    if cell.measured is None:
        return ""
    # The figure of a cost is marked if no difference is shown.
    cost = next((key for key, (metric, of) in COMPARED.items() if metric == one.key and of.is_cost), None)
    ratio = cell.comparison.ratio(cost) if cell.comparison and cost else None
    return written(one.form, one.key, cell.measured) + same(ratio)


def _ratio(metric: str, own: set[str], names: Sequence[str], cell: Cell) -> str:
    """Return a ratio as text; if a suite's blocks have several baselines for one shape, it names its own."""
    if cell.measured is None:
        return ""
    if cell.comparison is None:
        return "1" if cell.cell_id in own else ""
    to = f" to {_baseline(cell, cell.comparison.base)}" if len(names) > 1 else ""
    text = ratio_text(cell.comparison.ratio(metric))
    return text + to if text else ""


def _baselines(cells: Sequence[Cell]) -> list[str]:
    """Return what cells are compared with; of clients that each stand on several servers, that is `itself`."""
    pairs = [(cell, cell.comparison.base) for cell in cells if cell.comparison]
    is_itself = all(cell.client == base.client for cell, base in pairs)
    return list(dict.fromkeys(_baseline(cell, base, "itself" if is_itself else base.client) for cell, base in pairs))


def _baseline(cell: Cell, base: Cell, name: str = "") -> str:
    """Return the name of what a cell is compared with, and its workload if that differs from the cell's."""
    other = f", workload {base.workload}" if base.workload != cell.workload else ""
    return on_server(name or base.client, base.server if cell.names_server else None) + other
