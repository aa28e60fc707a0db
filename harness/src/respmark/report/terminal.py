"""Tables for a terminal: as many clients side by side as its width holds, the others below."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.escaping import line
from respmark.report.header import header_lines
from respmark.report.tables import Block, Report, ScenarioTable

METRIC_WIDTH = 25
COLUMN_WIDTH_MIN = 19


def print_report(console: Console, report: Report) -> None:
    """Print the whole report."""
    print_tables(console, header_lines(report.manifest), report.tables)
    if report.precision:
        console.print(Text("\nprecision", style="bold"))
    for text in report.precision:
        console.print(Text(f" - {line(text)}"))
    for note in report.missing:
        console.print(Text(f"\n{line(note)}", style="yellow"))


def print_tables(console: Console, header: Iterable[str], tables: Iterable[ScenarioTable]) -> None:
    """Print what stands above the tables, and the tables with their notes."""
    for text in header:
        console.print(Text(line(text), style="dim"))
    for table in tables:
        console.print()
        console.print(Text.assemble((line(table.scenario), "bold cyan"), ("  " + line(table.summary), "")))
        for part in split(table, console.width):
            console.print(_grid(part))
        for note in dict.fromkeys(table.notes):
            console.print(Padding(Text(f"- {line(note)}", style="yellow"), (0, 0, 0, 1)))


def split(table: ScenarioTable, width: int) -> Iterator[ScenarioTable]:
    """Cut a table into tables that fit the width, each with some of the clients."""
    column = max(COLUMN_WIDTH_MIN, *(len(part) for client in table.clients for part in client_lines(client)))
    fit = max(1, (width - METRIC_WIDTH - 3) // (column + 3))
    for begin in range(0, len(table.clients), fit):
        chosen = slice(begin, begin + fit)
        yield ScenarioTable(
            table.scenario,
            table.summary,
            table.clients[chosen],
            tuple(_part_of(block, chosen) for block in table.blocks),
            table.notes,
        )


def _part_of(block: Block, chosen: slice) -> Block:
    rows = tuple(type(row)(row.metric, row.values[chosen]) for row in block.rows)
    return Block(block.label, tuple(row for row in rows if any(row.values)))


def client_lines(client: str) -> list[str]:
    """Write a client's name over two lines where it has options."""
    library, bracket, options = client.partition("[")
    return [library, bracket + options] if bracket else [library]


def _grid(table: ScenarioTable) -> Table:
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    grid.add_column("", width=METRIC_WIDTH)
    for client in table.clients:
        grid.add_column(Text("\n".join(map(line, client_lines(client)))), justify="right", min_width=COLUMN_WIDTH_MIN)
    for number, block in enumerate(table.blocks):
        if number:
            grid.add_section()
        _add_block(grid, block)
    return grid


def _add_block(grid: Table, block: Block) -> None:
    if block.label:
        grid.add_row(Text(line(block.label), style="bold"))
    for row in block.rows:
        headline = row is block.rows[0]
        grid.add_row(Text(line(row.metric)), *(_value(value, headline=headline) for value in row.values))


def _value(value: str, *, headline: bool) -> Text:
    styles = {"failed": "bold red", "missing": "yellow", "unsupported": "dim"}
    return Text(line(value), style=styles.get(value, "bold green" if headline else ""))
