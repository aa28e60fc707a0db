"""The answer in a terminal: the clients of each use below its name, in the same columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.escaping import line
from respmark.report.answer import Answer
from respmark.report.tables import Block, Row
from respmark.report.terminal import (
    GAP,
    SUBJECT_MIN,
    column_width,
    make_grid,
    print_notes,
    shown_columns,
)
from respmark.report.uses import COLUMNS, WORDS, Line, Use
from respmark.specs.naming import client_lines

INDENT: Final = 2
DETAILS: Final = "Every client and figure: respmark report RUN --details"


def print_answer(console: Console, answer: Answer) -> None:
    """Print the summary of a run."""
    for text in answer.header:
        console.print(Text(line(text), style="dim" if answer.is_final else "bold yellow"))
    if answer.uses:
        _print_uses(console, answer.uses)
    for text in answer.legend:
        console.print(Text(line(text), style="dim"))
    if answer.careful:
        console.print(Text("Be careful:", style="bold"))
    print_notes(console, answer.careful)
    for text in answer.closing:
        console.print(Text(line(text)))
    if answer.is_final:
        console.print(Text(DETAILS, style="dim"))


@dataclass(frozen=True)
class _Layout:
    """Which columns are shown, and how wide each is."""

    subject: int
    columns: dict[int, int]
    """Widths by the columns' numbers in `COLUMNS`."""

    def grid(self, rows: Iterable[tuple[Text, Sequence[Text]]]) -> Table:
        """Return lines: each a subject, and a text for every column."""
        grid = make_grid()
        grid.show_header = False
        grid.add_column(width=self.subject, overflow="fold")
        for number, width in self.columns.items():
            grid.add_column(width=width, justify="left" if number < WORDS else "right", overflow="fold")
        for subject, values in rows:
            grid.add_row(subject, *(values[number] for number in self.columns))
        return grid


def _print_uses(console: Console, uses: Sequence[Use]) -> None:
    layout = _layout([one for use in uses for one in use.lines], console.width)
    console.print(layout.grid([(Text(), [Text(column.head, style="bold") for column in COLUMNS])]))
    for use in uses:
        said = [(f", {line(word)}", "") for word in use.shape] + [(f"  {line(use.note)}", "dim")] * bool(use.note)
        console.print(Text.assemble((line(use.scenario), "bold cyan"), *said))
        console.print(layout.grid((_subject(one, layout.subject), _values(one)) for one in use.lines))
        for text in use.sentences:
            console.print(Padding(Text(line(text)), (0, 0, 0, INDENT), expand=False))


def _layout(lines: Sequence[Line], width: int) -> _Layout:
    """Return which columns fit a terminal of this width; those that say nothing are left out."""
    by_column = list(zip(*(one.values for one in lines), strict=True))
    telling = [n for n, values in enumerate(by_column) if any(values) and (n >= WORDS or len(set(values)) > 1)]
    rows = tuple(Row(_name(one), tuple(one.values[n] for n in telling), one.status) for one in lines)
    block = Block("", tuple(COLUMNS[number] for number in telling), rows)
    columns = {telling[number]: column_width(block, number) - GAP for number in shown_columns(block, width)}
    room = width - sum(columns.values()) - GAP * len(columns)
    longest = max(cell_len(line(row.subject)) for row in rows)
    return _Layout(max(SUBJECT_MIN, min(room, longest)), columns)


def _name(one: Line) -> str:
    return " " * INDENT + one.mark + one.client


def _subject(one: Line, width: int) -> Text:
    """Return a client's name; if it is too long, its options stand below it."""
    style = "bold green" if one.is_fastest else ""
    name = line(_name(one))
    if cell_len(name) > width:
        name = f"\n{' ' * INDENT * 2}".join(map(line, client_lines(_name(one))))
    return Text(name, style=style)


def _values(one: Line) -> list[Text]:
    return [Text(line(value), style="bold green" if one.is_fastest else "") for value in one.values]
