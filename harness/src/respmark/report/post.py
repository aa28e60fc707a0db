"""A published post's tables, laid out as the post has them, each figure beside the run's own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark import numbers
from respmark.contract.trial import Shape
from respmark.report.notes import in_shape
from respmark.results.records import Status
from respmark.specs.naming import NAME
from respmark.specs.post import Figure, Improvement, PostColumn, PostSpec, PostTable
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured

NOT_MEASURED: Final = "not measured"
PUBLISHED: Final = "post"
"""Heading of the columns of published figures."""
HEADS: Final[dict[Figure, str]] = {"rps": "RPS", "cpu": "CPU"}


@dataclass(frozen=True)
class Head:
    """A column's heading: what was measured, with which client, and which figure it is."""

    group: str
    subject: str
    """A client's name, or `post`."""
    figure: str


@dataclass(frozen=True)
class PostGrid:
    """One table, ready to be written."""

    title: str
    axes: tuple[str, ...]
    heads: tuple[Head, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Place on the axes, and values."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PostReport:
    """All tables of a post."""

    header: tuple[str, ...]
    grids: tuple[PostGrid, ...]


Cells = dict[tuple[str, str, str], ReportCell]
"""Cells by client, scenario and shape."""


def post_report(spec: PostSpec, cells: Iterable[ReportCell], header: Iterable[str]) -> PostReport:
    """Return the tables of a post; `header` says which runs the own figures are from."""
    found = by_key(cells)
    versions = ", ".join(f"{library} {version}" for library, version in spec.versions.items())
    lines = [
        f"post: {spec.title} ({spec.source})",
        f"measured there: {versions}; {spec.setup}",
        *header,
        "RPS: commands per second; CPU: of one core, the client's process; `post` is what was published",
    ]
    return PostReport(tuple(lines), tuple(_grid(table, spec.suite, found) for table in spec.tables))


def by_key(cells: Iterable[ReportCell]) -> Cells:
    """Return the cells by what identifies them in the post's tables; of several, the first that was measured."""
    found: Cells = {}
    for cell in cells:
        key = cell_key(cell.client, cell.scenario, cell.shape)
        if key not in found or found[key].status is not Status.OK:
            found[key] = cell
    return found


def cell_key(client: str, scenario: str, shape: Shape) -> tuple[str, str, str]:
    """Return what identifies a cell in the post's tables."""
    return client, scenario, shape.model_dump_json()


@dataclass(frozen=True)
class _Part:
    """One client under one of the post's columns."""

    column: PostColumn
    number: int
    client: str


def _grid(table: PostTable, suite: str, cells: Cells) -> PostGrid:
    parts = [
        _Part(column, number, client)
        for number, column in enumerate(table.columns)
        for client in shown_clients(table, column, cells)
    ]
    heads = [
        head for column in table.columns for head in _heads(column, [p.client for p in parts if p.column is column])
    ]
    rows = []
    for number, row in enumerate(table.rows):
        values: list[str] = []
        for place, column in enumerate(table.columns):
            here = [
                cells.get(cell_key(p.client, column.scenario, column.shape_at(table.axes, row.at)))
                for p in parts
                if p.number == place
            ]
            values += _values(column, row.published[place], here)
        if table.improvement is not None:
            values += _improvement(table, table.improvement, number, cells)
        rows.append((tuple(f"{value:,}" for value in row.at), tuple(values)))
    if table.improvement is not None:
        clients = _compared(table, table.improvement, cells)
        heads += [Head(table.improvement.title, subject, "") for subject in (*clients, PUBLISHED)]
    notes = [*([table.note] if table.note else []), *_notes(table, suite, parts, cells)]
    return PostGrid(table.title, table.axes, tuple(heads), tuple(rows), tuple(dict.fromkeys(notes)))


def shown_clients(table: PostTable, column: PostColumn, cells: Cells) -> list[str]:
    """Return the clients of a column that a run has, or the column's first client if it has none."""
    there = [
        client
        for client in column.clients
        if any(cell_key(client, column.scenario, column.shape_at(table.axes, row.at)) in cells for row in table.rows)
    ]
    return there or [column.clients[0]]


def _heads(column: PostColumn, clients: list[str]) -> Iterator[Head]:
    for figure in column.figures:
        yield from (Head(column.title, subject, HEADS[figure]) for subject in (*clients, PUBLISHED))


def _values(column: PostColumn, published: tuple[int, ...], cells: list[ReportCell | None]) -> Iterator[str]:
    for figure, value in zip(column.figures, published, strict=True):
        yield from (_own(figure, cell) for cell in cells)
        yield _written(figure, value)


def _own(figure: Figure, cell: ReportCell | None) -> str:
    if cell is None:
        return NOT_MEASURED
    if cell.measured is None:
        return str(cell.status)
    return _written(figure, _figure(figure, cell.measured)) + (" *" if cell.is_partial else "")


def _figure(figure: Figure, measured: Measured) -> float:
    return measured.rps_median if figure == "rps" else measured.client_cpu_percent


def _written(figure: Figure, value: float) -> str:
    return numbers.rps(value) if figure == "rps" else numbers.percent(value)


def _compared(table: PostTable, improvement: Improvement, cells: Cells) -> list[str]:
    """Return the clients that both compared columns show."""
    before, after = (
        shown_clients(table, table.columns[number - 1], cells) for number in (improvement.before, improvement.after)
    )
    return [client for client in before if client in after] or before[:1]


def _improvement(table: PostTable, improvement: Improvement, number: int, cells: Cells) -> Iterator[str]:
    row = table.rows[number]
    for client in _compared(table, improvement, cells):
        pair = [
            cells.get(cell_key(client, column.scenario, column.shape_at(table.axes, row.at)))
            for column in (table.columns[improvement.before - 1], table.columns[improvement.after - 1])
        ]
        before, after = (cell.measured.rps_median if cell and cell.measured else None for cell in pair)
        star = " *" if any(cell and cell.is_partial for cell in pair) else ""
        yield NOT_MEASURED if not before or after is None else f"{(after / before - 1) * 100:+.0f} %{star}"
    yield f"{improvement.published[number]:+d} %"


def _notes(table: PostTable, suite: str, parts: list[_Part], cells: Cells) -> Iterator[str]:
    for part in parts:
        keys = [
            cell_key(part.client, part.column.scenario, part.column.shape_at(table.axes, row.at)) for row in table.rows
        ]
        absent = sum(key not in cells for key in keys)
        if absent:
            of = "" if absent == len(keys) else f" {absent} of {len(keys)} points of"
            yield (
                f"{NOT_MEASURED}:{of} {part.client}, {part.column.scenario}: "
                f"respmark run {suite} --client {_quoted(part.client)} --scenario {part.column.scenario}"
            )
        for cell in (cells[key] for key in keys if key in cells):
            if cell.measured is None:
                yield f"{cell.client}, {cell.scenario}: {cell.status}: {cell.reason}"
            elif cell.is_partial:
                yield f"* {cell.client}, {cell.scenario}{in_shape(cell)}: {cell.reason}"


def _quoted(client: str) -> str:
    match = NAME.match(client)
    return f"'{client}'" if match and match["options"] else client
