"""Tables for a terminal: one line per client; extra columns are shown if there is room for them."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.escaping import line
from respmark.report.answer import HEADS, WORDS, Answer
from respmark.report.guidance_text import print_advice
from respmark.report.header import header_lines
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
DETAILS: Final = "Every client and figure: respmark report RUN --details"


def print_answer(console: Console, answer: Answer) -> None:
    """Print the summary of a run."""
    for text in answer.header:
        console.print(Text(line(text), style="dim"))
    if answer.best:
        console.print(_answer_grid(answer))
    for text in answer.legend:
        console.print(Text(line(text), style="dim"))
    if answer.careful:
        console.print(Text("Be careful:", style="bold"))
    print_notes(console, answer.careful)
    if answer.advice:
        console.print(Text(answer.advice))
    console.print(Text(DETAILS, style="dim"))


def print_report(console: Console, report: Report) -> None:
    """Print all tables of a run."""
    changes = versions_table(report.changes)
    print_tables(console, header_lines(report.manifest), [*report.tables, *([changes] if changes else [])])
    if report.verdicts:
        print_advice(console, report.verdicts)
    if report.precision:
        console.print(Text("\nprecision", style="bold"))
    for text in report.precision:
        console.print(Text(f" - {line(text)}"))
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


def _answer_grid(answer: Answer) -> Table:
    grid = _table()
    grid.add_column("")
    for number, head in enumerate(HEADS):
        grid.add_column(head, justify="left" if number < WORDS else "right", overflow="fold")
    for best in answer.best:
        labels = [Text(line(best.scenario), style="bold cyan"), *(Text(line(word), style="dim") for word in best.shape)]
        for label, one in zip_longest(labels, best.lines):
            style = "bold green" if one and one.is_fastest else ""
            values = one.values if one else ("",) * len(HEADS)
            grid.add_row(label or "", *(Text(line(value), style=style) for value in values))
    return grid


def _table() -> Table:
    return Table(box=None, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")


def shown_columns(block: Block, width: int) -> list[int]:
    """Return the numbers of the columns of a block that a terminal of this width shows."""
    widths = [_width(block, number) for number in range(len(block.columns))]
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


def _width(block: Block, number: int) -> int:
    texts = [*block.columns[number].head.split("\n"), *(line(row.values[number]) for row in block.rows)]
    return max(map(cell_len, texts)) + GAP


def _grid(block: Block, width: int) -> Table:
    grid = _table()
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
