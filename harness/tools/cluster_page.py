"""What a cluster costs, on docs/cluster.md: a row a client, a column for each comparison with itself on one node."""

from collections.abc import Mapping, Sequence
from typing import Final

from respmark import numbers
from respmark.figures.cells import Cell, Use
from respmark.report.columns import ratio_text
from respmark.report.labels import joined, plural
from respmark.report.report import Report
from respmark.report.table import SUBJECT, Chapter, Heading, Table, TableCell, row, style
from respmark.specs.names import name_parts

ONE_KEY: Final = "throughput, divided by that of the same client on what stands in brackets"
KEYS: Final = "the same of commands of several keys across slots, and how many the nodes saw of each"
NOTES: Final = (
    "ratios have 95 % intervals; =: no difference shown",
    "unsupported: the library does not do that on a cluster; the report says in which words",
)


def cluster_chapters(report: Report) -> list[Chapter]:
    """Return the tables of a run of the suite `cluster`."""
    heads = {one.use: _head(one, one.comparison.base) for one in report.cells if one.comparison is not None}
    split = {one.use for one in report.cells if one.measured and one.measured.calls_per_command is not None}
    parts = {
        ONE_KEY: {use: head for use, head in heads.items() if use not in split},
        KEYS: {use: head for use, head in heads.items() if use in split},
    }
    made = tuple(_table(title, report.cells, columns) for title, columns in parts.items() if columns)
    return [Chapter("", tables=made, notes=NOTES)]


def _head(cell: Cell, base: Cell) -> str:
    """Return what is compared with what."""
    use = joined(cell.scenario, cell.shape.label)
    if cell.server == base.server:
        return f"{use}\n{cell.workload} ({base.workload})"
    is_suites = cell.workload == cell.run.manifest.first_workload
    return f"{use if is_suites else cell.workload}\n{_nodes(cell.server)} ({_nodes(base.server)})"


def _nodes(server: str) -> str:
    """Return a server by its nodes."""
    primaries = name_parts(server).values.get("primaries")
    return plural(int(primaries), "node") if primaries else "alone"


def _table(title: str, cells: Sequence[Cell], columns: Mapping[Use, str]) -> Table:
    found = {(one.client, one.use): one for one in cells}
    rows = tuple(
        row(TableCell(name, "client"), *(_value(found.get((client, use))) for use in columns))
        for client, name in {one.client: one.name for one in cells}.items()
    )
    return Table(title, (SUBJECT, *map(Heading, columns.values())), rows)


def _value(cell: Cell | None) -> TableCell:
    if cell is None:
        return TableCell("")
    if cell.measured is None or cell.comparison is None:
        return TableCell(cell.status, style(cell.status))
    calls = cell.measured.calls_per_command
    seen = "" if calls is None else f", {numbers.significant(calls)}"
    return TableCell(f"{ratio_text(cell.comparison.main)}{seen}")
