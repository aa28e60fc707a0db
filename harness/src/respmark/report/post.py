"""A published post's tables, each figure beside the run's own."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import ReportCell
from respmark.report.notes import cell_name
from respmark.report.scenarios import rps_cell
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Row, Table, row, without_empty_columns
from respmark.results.records import Status
from respmark.specs.post import PostColumn, PostRow, PostSpec, PostTable

LEGEND: Final = "RPS: commands per second; CPU: of one core, the client's process; limited by: what limits RPS here"
HEADS: Final = ("RPS", "RPS\nin the post", "RPS\nhere / post", "CPU", "CPU\nin the post")
Cells = dict[tuple[str, Scenario, Shape], ReportCell]


def post_chapters(
    spec: PostSpec, cells: Iterable[ReportCell], header: Iterable[str] = (), level: int = 2
) -> list[Chapter]:
    """Return a post's tables, with the first measured cell of several runs; `header` says which runs those are."""
    found: Cells = {}
    for cell in cells:
        key = cell.client, cell.scenario, cell.shape
        if key not in found or found[key].status is not Status.OK:
            found[key] = cell
    versions = ", ".join(map(" ".join, spec.versions.items()))
    lines = (f"post: {spec.title} ({spec.source})", f"measured there: {versions}; {spec.setup}", *header, LEGEND)
    first = Chapter("The post's tables", lines, level=level - 1)
    return [first, *(_chapter(table, spec.suite, found, level) for table in spec.tables)]


def _cells(table: PostTable, column: PostColumn, client: str, cells: Cells) -> list[ReportCell | None]:
    """Return a client's cell in each row of a column, if the run has it."""
    shapes = (column.shape_at(table.axes, one.at) for one in table.rows)
    return [cells.get((client, column.scenario, shape)) for shape in shapes]


def _clients(table: PostTable, column: PostColumn, cells: Cells) -> list[str]:
    return [one for one in column.clients if any(_cells(table, column, one, cells))] or [column.clients[0]]


def _chapter(table: PostTable, suite: str, cells: Cells, level: int) -> Chapter:
    curves = (
        _curve(table, number, client, suite, cells)
        for number, column in enumerate(table.columns)
        for client in _clients(table, column, cells)
    )
    tables = without_empty_columns([*curves, *_improvements(table, cells)])
    return Chapter(table.title, (table.note,) if table.note else (), tables, is_joined=True, level=level)


def _columns(table: PostTable) -> tuple[Column, ...]:
    axes = Column(", ".join(table.axes), is_text=True) if table.axes else SUBJECT
    return axes, *map(Column, HEADS), Column("limited by", is_extra=True, is_text=True)


def _curve(table: PostTable, number: int, client: str, suite: str, cells: Cells) -> Table:
    column = table.columns[number]
    here = _cells(table, column, client, cells)
    rows = tuple(_row(one, column, one.published[number], cell) for one, cell in zip(table.rows, here, strict=True))
    return Table(f"{column.title}: {client}", _columns(table), rows, tuple(_notes(column, client, suite, here)))


def _row(at: PostRow, column: PostColumn, figures: Sequence[int], cell: ReportCell | None) -> Row:
    published = dict(zip(column.figures, figures, strict=True))
    rps, cpu, measured = published.get("rps"), published.get("cpu"), cell and cell.measured
    return row(
        _at(at),
        rps_cell(cell),
        Cell("" if rps is None else numbers.rps(rps), "published"),
        numbers.ratio(measured.rps_median / rps) if measured and rps else "",
        numbers.percent(measured.client_cpu_percent) if measured and cpu else "",
        Cell(numbers.percent(cpu), "published"),
        str(measured.bottleneck or "nothing that shows") if measured else "",
    )


def _at(one: PostRow) -> str:
    return ", ".join(f"{value:,}" for value in one.at)


def _improvements(table: PostTable, cells: Cells) -> Iterator[Table]:
    if (one := table.improvement) is None:
        return
    before, after = table.columns[one.before - 1], table.columns[one.after - 1]
    others = _clients(table, after, cells)
    for client in [client for client in _clients(table, before, cells) if client in others]:
        pairs = zip(_cells(table, before, client, cells), _cells(table, after, client, cells), strict=True)
        rows = tuple(
            row(_at(at), _gain(*pair), Cell(f"{published:+d} %", "published"), "", "", "", "")
            for at, pair, published in zip(table.rows, pairs, one.published, strict=True)
        )
        yield Table(f"{one.title}: {client}", _columns(table), rows)


def _gain(before: ReportCell | None, after: ReportCell | None) -> str:
    if not (before and before.measured and after and after.measured):
        return str(Status.NOT_MEASURED)
    star = " *" if before.is_partial or after.is_partial else ""
    return f"{(after.measured.rps_median / before.measured.rps_median - 1) * 100:+.0f} %{star}"


def _notes(column: PostColumn, client: str, suite: str, here: Sequence[ReportCell | None]) -> Iterator[str]:
    if absent := here.count(None):
        of = "" if absent == len(here) else f" {absent} of {len(here)} points of"
        yield (
            f"not measured:{of} {client}, {column.scenario}: "
            f"respmark run {suite} --client {quote(client)} --scenario {column.scenario}"
        )
    for cell in filter(None, here):
        if cell.measured is None:
            yield f"{cell_name(cell)}: {cell.status}: {cell.reason}"
        elif cell.is_partial:
            yield f"* {cell_name(cell)}: {cell.reason}"
