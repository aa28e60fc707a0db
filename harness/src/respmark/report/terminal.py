"""Tables for a terminal: one line per client; extra columns are shown if there is room for them."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.escaping import line
from respmark.report.guidance_text import print_advice
from respmark.report.header import header_lines
from respmark.report.notes import precision_line
from respmark.report.tables import Block, Report, Row, ScenarioTable
from respmark.report.versions import versions_table
from respmark.results.records import Status

GAP: Final = 2
"""Characters between two columns of a table."""
SUBJECT_MIN: Final = 10
STYLES: Final = {
    Status.OK: "bold green",
    Status.FAILED: "bold red",
    Status.NOT_MEASURED: "magenta",
    Status.MISSING: "yellow",
    Status.UNSUPPORTED: "dim",
}
"""Style of the figure, or of the word in its place."""
PARTIAL: Final = "green"


def print_report(console: Console, report: Report) -> None:
    """Print all tables of a run."""
    changes = versions_table(report.changes)
    print_tables(console, header_lines(report.manifest), [*report.tables, *([changes] if changes else [])])
    if report.verdicts:
        print_advice(console, report.verdicts)
    if precision := precision_line(report.cells):
        console.print(Text(f"\n{line(precision)}"))
    for note in report.missing:
        console.print(Text(f"\n{line(note)}", style="yellow"))


def print_tables(console: Console, header: Iterable[str], tables: Iterable[ScenarioTable]) -> None:
    """Print the lines above the tables, and the tables with their notes."""
    for text in header:
        console.print(Text(line(text), style="dim"))
    for table in tables:
        console.print()
        console.print(Text.assemble((line(table.scenario), "bold cyan"), ("  " + line(table.summary), "")))
        for block in table.blocks:
            console.print()
            if block.label:
                console.print(Text(line(block.label), style="bold"))
            console.print(_grid(block, console.width))
        print_notes(console, table.notes)


def print_notes(console: Console, notes: Iterable[str]) -> None:
    """Print a list of notes, each once."""
    for note in dict.fromkeys(notes):
        console.print(_note(note))


def _note(text: str) -> Padding:
    return Padding(Text(f"- {line(text)}", style="yellow"), (0, 0, 0, 1), expand=False)


def make_grid() -> Table:
    """Return a table without lines."""
    return Table(box=None, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")


def shown_columns(block: Block, width: int) -> list[int]:
    """Return the numbers of the columns of a block that a terminal of this width shows."""
    widths = [column_width(block, number) for number in range(len(block.columns))]
    subject = max([SUBJECT_MIN, *(cell_len(line(row.subject)) for row in block.rows)])
    room = (
        width - subject - sum(wide for wide, column in zip(widths, block.columns, strict=True) if not column.is_extra)
    )
    shown = []
    for number, column in enumerate(block.columns):
        if column.is_extra:
            room -= widths[number]
        if not column.is_extra or room >= 0:
            shown.append(number)
    return shown


def column_width(block: Block, number: int) -> int:
    """Return how many characters a column takes, with the gap after or before it."""
    texts = [*block.columns[number].head.split("\n"), *(line(row.values[number]) for row in block.rows)]
    return max(map(cell_len, texts)) + GAP


def _grid(block: Block, width: int) -> Table:
    grid = make_grid()
    shown = shown_columns(block, width)
    grid.add_column("", overflow="fold")
    for number in shown:
        grid.add_column(Text(line_by_line(block.columns[number].head)), justify="right", overflow="fold")
    for row in block.rows:
        grid.add_row(Text(line(row.subject)), *_values(row, shown))
    return grid


def line_by_line(text: str) -> str:
    """Return text of several lines, with each line made harmless."""
    return "\n".join(map(line, text.split("\n")))


def _values(row: Row, shown: Sequence[int]) -> list[Text]:
    headline = PARTIAL if row.is_partial else STYLES[row.status]
    return [Text(line(row.values[number]), style="" if number else headline) for number in shown]
