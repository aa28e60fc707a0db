"""A published post's tables, each figure beside the run's own."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import Cell
from respmark.kinds.loops.columns import UNDETERMINED
from respmark.kinds.loops.metrics import LoopFigures
from respmark.report.labels import cell_name
from respmark.report.scenarios import main_cell
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, row, without_empty_columns
from respmark.results.records import Status
from tools.post import Figure, PostColumn, PostRow, PostSpec, PostTable

LEGEND: Final = (
    "RPS: commands per second, the median of the rounds and in brackets the lowest and the highest; CPU: of one core, "
    "the client's process; p50, p99: latency in ms; limited by: what limits RPS here"
)
FIGURES: Final[Mapping[Figure, tuple[str, Callable[[float | None], str], Callable[[LoopFigures], float | None]]]] = {
    "rps": ("RPS", lambda value: "" if value is None else numbers.rps(value), lambda one: one.rps_median),
    "cpu": ("CPU", numbers.percent, lambda one: one.client_cpu_percent),
    "p50": ("p50", numbers.milliseconds, lambda one: one.p50_ms),
    "p99": ("p99", numbers.milliseconds, lambda one: one.p99_ms),
}
"""Its heading, how it is written, and how it is found in what was measured."""
NOT_TOGETHER: Final = "not in one block"
"""In place of a ratio of two cells that did not take turns."""
Use = tuple[str, Scenario, Shape, str | None]
"""A client's use, whatever its round trip; with the workload, if a table names it."""
Uses = Mapping[Use, Sequence[Cell]]
"""The cells of each use of a run: one for each block that has it."""
Cells = Mapping[Use, Cell]
Places = Mapping[str, Cells]
"""The cells of one or more runs, by what headings call where they were measured; empty: there is only one place."""


def post_chapters(
    spec: PostSpec, cells: Mapping[str, Iterable[Cell]], header: Iterable[str] = (), level: int = 2
) -> list[Chapter]:
    """Return a post's tables, beside the cells of each place; `header` says which runs those are from."""
    uses = {place: _by_use(found, spec.workloads) for place, found in cells.items()}
    versions = ", ".join(map(" ".join, spec.versions.items()))
    lines = (f"post: {spec.title} ({spec.source})", f"measured there: {versions}; {spec.setup}", *header, LEGEND)
    first = Chapter("The post's tables", lines, level=level - 1)
    tables = [(table, {place: _of_table(table, found) for place, found in uses.items()}) for table in spec.tables]
    return [first, *(_chapter(table, spec.suite, places, level) for table, places in tables)]


def _by_use(cells: Iterable[Cell], workloads: Collection[str]) -> Uses:
    found: defaultdict[Use, list[Cell]] = defaultdict(list)
    for cell in cells:
        workload = cell.workload if cell.workload in workloads else None
        found[cell.client, cell.scenario, cell.shape.direct, workload].append(cell)
    return found


def _of_table(table: PostTable, uses: Uses) -> Cells:
    """Return a table's cells: of several that are measured, that whose block has most of the table's cells.

    What stands together in a table then took turns, as far as any block has it.
    """
    wanted = {
        (client, column.scenario, column.shape_at(table.axes, one.at), column.workload)
        for column in table.columns
        for client in column.clients
        for one in table.rows
    }
    found = {use: uses[use] for use in wanted if use in uses}
    size = Counter(cell.block for cells in found.values() for cell in cells)
    return {use: max(cells, key=lambda one: (one.status is Status.OK, size[one.block])) for use, cells in found.items()}


def _cells(table: PostTable, column: PostColumn, client: str, cells: Cells) -> list[Cell | None]:
    """Return a client's cell in each row of a column, if the run has it."""
    shapes = (column.shape_at(table.axes, one.at) for one in table.rows)
    return [cells.get((client, column.scenario, shape, column.workload)) for shape in shapes]


def _clients(table: PostTable, column: PostColumn, places: Places) -> list[str]:
    has = [one for one in column.clients if any(any(_cells(table, column, one, here)) for here in places.values())]
    return has or [column.clients[0]]


def _chapter(table: PostTable, suite: str, places: Places, level: int) -> Chapter:
    curves = (
        _curve(table, number, client, suite, places)
        for number, column in enumerate(table.columns)
        for client in _clients(table, column, places)
    )
    tables = without_empty_columns([*curves, *_improvements(table, places)])
    return Chapter(table.title, (table.note,) if table.note else (), tables, is_joined=True, level=level)


def _figures(table: PostTable) -> list[Figure]:
    """Return the figures that any column of the table has."""
    return [figure for figure in FIGURES if any(figure in column.figures for column in table.columns)]


def _columns(table: PostTable, places: Iterable[str]) -> tuple[Heading, ...]:
    axes = Heading(", ".join(table.axes), is_text=True) if table.axes else SUBJECT
    columns = [axes]
    for figure in _figures(table):
        name, *_ = FIGURES[figure]
        columns += [Heading(f"{name}\n{place}" if place else name) for place in places]
        columns.append(Heading(f"{name}\nin the post"))
        if figure == "rps":
            columns += [Heading(f"{name}\n{place or 'here'} / post") for place in places]
    limits = (
        Heading(f"limited by\n{place}" if place else "limited by", is_extra=True, is_text=True) for place in places
    )
    return (*columns, *limits)


def _curve(table: PostTable, number: int, client: str, suite: str, places: Places) -> Table:
    column = table.columns[number]
    here = {place: _cells(table, column, client, cells) for place, cells in places.items()}
    rows = tuple(
        _row(at, table, column, at.published[number], [cells[line] for cells in here.values()])
        for line, at in enumerate(table.rows)
    )
    notes = dict.fromkeys(note for cells in here.values() for note in _notes(column, client, suite, cells))
    name = _named(client, (cell for cells in here.values() for cell in cells))
    return Table(f"{column.title}: {name}", _columns(table, places), rows, tuple(notes))


def _named(client: str, cells: Iterable[Cell | None]) -> str:
    """Return what tables call a client: with its version if another one than the pinned one was loaded."""
    found = next(filter(None, cells), None)
    return client if found is None else found.name


def _row(
    at: PostRow, table: PostTable, column: PostColumn, figures: Sequence[float], cells: Sequence[Cell | None]
) -> Row:
    published = dict(zip(column.figures, figures, strict=True))
    measured = [cell and cell.measured for cell in cells]
    values: list[str | TableCell] = [_at(at)]
    for figure in _figures(table):
        _, written, found = FIGURES[figure]
        there = published.get(figure)
        if figure == "rps":
            values += map(_rps, cells)
        else:
            values += [written(found(one)) if one and there else "" for one in measured]
        values.append(TableCell(written(there), "published"))
        if figure == "rps":
            values += [numbers.ratio(one.rps_median / there) if one and there else "" for one in measured]
    return row(*values, *(str(one.bottleneck or UNDETERMINED) if one else "" for one in measured))


def _rps(cell: Cell | None) -> TableCell:
    """Return commands per second, with the lowest and the highest round if there are several."""
    shown = main_cell(cell)
    if cell is None or cell.measured is None or cell.rounds == 1:
        return shown
    span = f"({numbers.rps(cell.measured.rps_min)}..{numbers.rps(cell.measured.rps_max)})"
    return TableCell(f"{shown.text} {span}", shown.style)


def _at(one: PostRow) -> str:
    return ", ".join(f"{value:,}" for value in one.at)


def _improvements(table: PostTable, places: Places) -> Iterator[Table]:
    if (one := table.improvement) is None:
        return
    before, after = table.columns[one.before - 1], table.columns[one.after - 1]
    others = _clients(table, after, places)
    for client in [client for client in _clients(table, before, places) if client in others]:
        pairs = [
            list(zip(*(_cells(table, column, client, cells) for column in (before, after)), strict=True))
            for cells in places.values()
        ]
        columns = _columns(table, places)
        rows = []
        for line, at in enumerate(table.rows):
            values: list[str | TableCell] = [_at(at), *(_gain(*of_place[line]) for of_place in pairs)]
            values.append(TableCell(f"{one.published[line]:+d} %", "published"))
            rows.append(row(*values, *[""] * (len(columns) - len(values))))
        name = _named(client, (cell for of_place in pairs for pair in of_place for cell in pair))
        yield Table(f"{one.title}: {name}", columns, tuple(rows))


def _gain(before: Cell | None, after: Cell | None) -> str:
    if not (before and before.measured and after and after.measured):
        return str(Status.NOT_MEASURED)
    ratio = _ratio(before, after)
    star = " *" if before.is_partial or after.is_partial else ""
    return NOT_TOGETHER if ratio is None else f"{(ratio - 1) * 100:+.0f} %{star}"


def _ratio(before: Cell, after: Cell) -> float | None:
    """Return the ratio of two cells that took turns, from those to their block's baseline; None: they did not."""
    (of_before, base), (of_after, same_base) = _to_baseline(before), _to_baseline(after)
    return of_after / of_before if base == same_base else None


def _to_baseline(cell: Cell) -> tuple[float, str]:
    """Return a cell's ratio to a baseline, and which cell that is: itself, if it is compared with none."""
    if cell.comparison is None:
        return 1.0, cell.cell_id
    return cell.comparison.ratio("rps").value, cell.comparison.base.cell_id


def _notes(column: PostColumn, client: str, suite: str, here: Sequence[Cell | None]) -> Iterator[str]:
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
