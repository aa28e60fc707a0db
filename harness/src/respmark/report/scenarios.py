"""The tables of a run: a chapter per scenario, a table per shape and workload, a row per client."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from math import inf
from typing import Final

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import Cell
from respmark.report.columns import FigureColumn, ratio_text, same, written
from respmark.report.kind import kind_of
from respmark.report.labels import Footnotes, cell_label
from respmark.report.notes import cell_note
from respmark.report.table import Chapter, Column, Table, TableCell, style, subject, table, without_empty_columns
from respmark.results.records import Status, on_server
from respmark.specs.scenario import ScenarioSpec, sample_covers


class Sort(StrEnum):
    """What rows are sorted by; those without figures come last."""

    RPS = "rps"
    """Or what else stands for the figures of its kind, such as the time of a start."""
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
    all_notes = (*notes.numbered, *kind_of(cells[0].run).table_notes(cells, baseline))
    return Chapter(str(cells[0].scenario), (spec.summary,), tables, all_notes)


def sorted_cells(cells: Iterable[Cell], sort: Sort) -> list[Cell]:
    """Return the cells of one shape in the order of a table's rows."""
    if sort is Sort.SUITE:
        return list(cells)
    return sorted(cells, key=lambda cell: (LAST.index(cell.status), _sort_value(cell, sort)))


def _sort_value(cell: Cell, sort: Sort) -> tuple[float, float]:
    kind = cell.run.kind
    compared = kind.main if sort is Sort.RPS else sort.replace("-", "_")
    figure = getattr(cell.measured, kind.metric_of.get(compared, ""), None)
    if cell.measured is None:
        return 0, 0
    value = inf if figure is None else figure if kind.compared[compared].is_cost else -figure
    # By the ratios of laps, if there are any: figures over several processes and rounds are less certain.
    return (cell.standing.place if cell.standing else inf, value) if sort is Sort.RPS else (value, 0)


def _table(cells: Sequence[Cell], notes: Footnotes) -> Table:
    shown = [subject(client_cell), *_columns(cells), Column("note", lambda cell: notes.number(cell_note(cell)))]
    (made,) = without_empty_columns([table(cell_label(cells[0]), cells, shown)])
    return made


def client_cell(cell: Cell) -> TableCell:
    """Return what names a row that is a client's."""
    return TableCell(cell.subject, "client")


def main_cell(cell: Cell | None) -> TableCell:
    """Return the figure that stands for a cell's others, such as its commands per second, or what became of it."""
    if cell is None or cell.measured is None:
        status = Status.NOT_MEASURED if cell is None else cell.status
        return TableCell(str(status), style(status))
    partial = " *" if cell.is_partial else ""
    kind = kind_of(cell.run)
    return TableCell(f"{kind.figure(cell, kind.main)}{partial}", "partial" if partial else "ok")


def _columns(cells: Sequence[Cell]) -> Iterator[Column[Cell]]:
    baselines = _baselines(cells)
    to = f"to {baselines[0]}" if len(baselines) == 1 else "to the baseline"
    own = {cell.comparison.base.cell_id for cell in cells if cell.comparison}
    unit = sample_covers(cells[0].scenario, cells[0].shape)
    kind = kind_of(cells[0].run)
    for one in kind.columns:
        if isinstance(one, FigureColumn):
            is_extra = one.is_extra and cells[0].scenario not in one.always_in
            is_extra = is_extra and not (one.always_with_rate and cells[0].shape.rate)
            yield Column(one.head.format(unit=unit), partial(_figure, one), is_extra=is_extra)
        elif any(cell.comparison and cell.comparison.ratio(one.compared).is_known for cell in cells):
            text = partial(_ratio, one.compared, own, baselines)
            yield Column(f"{kind.compared[one.compared].name} ratio\n{to}", text, is_extra=one.is_extra)


def _figure(one: FigureColumn, cell: Cell) -> str | TableCell:
    kind = cell.run.kind
    if one.key == kind.metric_of[kind.main]:
        return main_cell(cell)
    if cell.measured is None:
        return ""
    # The figure of a cost is marked if no difference is shown.
    compared = kind.metrics[one.key].compared
    ratio = cell.comparison.ratio(compared.key) if cell.comparison and compared and compared.is_cost else None
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
