"""Chapters in a terminal; extra columns are shown if there is room for them."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from respmark.escaping import line
from respmark.report.table import Cell, Chapter, Column, Row, Table

GAP: Final = 2
"""Characters between two columns."""
NARROWEST: Final = 10
"""Text is not broken into narrower columns."""
STYLES: Final = {
    "best": "bold green",
    "ok": "bold green",
    "partial": "green",
    "failed": "bold red",
    "not-measured": "magenta",
    "missing": "yellow",
    "unsupported": "dim",
    "holds": "bold green",
    "does-not-hold": "bold red",
    "not-shown": "yellow",
    "published": "dim",
}
"""Style of a cell, by a word of its kind."""


def print_chapters(console: Console, chapters: Iterable[Chapter]) -> None:
    """Print chapters, each after an empty line if it has a title."""
    for number, chapter in enumerate(chapters):
        if number and chapter.title:
            console.print()
        _print_chapter(console, chapter)


def _print_chapter(console: Console, chapter: Chapter) -> None:
    if chapter.title:
        console.print(Text(line(chapter.title), style="bold cyan"))
    for text in chapter.lines:
        console.print(Text(line(text), style="dim"))
    if chapter.is_joined and chapter.tables:
        _print_tables(console, chapter.tables, GAP)
    for table in () if chapter.is_joined else chapter.tables:
        console.print()
        _print_tables(console, [table])
    _print_notes(console, chapter.notes)
    if chapter.command:
        console.print(Text(f"to measure the rest: {line(chapter.command)}"), soft_wrap=True)


def _print_tables(console: Console, tables: Sequence[Table], indent: int = 0) -> None:
    """Print tables in the same columns; if they are indented, their heads stand once, above the first title."""
    columns, widths = tables[0].columns, _widths(tables, console.width - indent)
    heads = [_heads(columns)]
    if indent:
        console.print(_grid(widths, columns, heads, indent))
    for table in tables:
        if table.title:
            mark = Text.assemble(_text(table.mark), "  ") if table.mark else Text()
            console.print(Text.assemble(mark, (line(table.title), "bold cyan" if indent else "bold")))
        if rows := [*([] if indent else heads), *table.rows]:
            console.print(_grid(widths, columns, rows, indent))
        _print_notes(console, table.notes, indent)


def _print_notes(console: Console, notes: Iterable[str], indent: int = 0) -> None:
    for note in dict.fromkeys(notes):
        console.print(Padding(Text(f"- {line(note)}", style="yellow"), (0, 0, 0, indent + 1), expand=False))


def _heads(columns: Sequence[Column]) -> Row:
    most = max(column.head.count("\n") for column in columns)
    return tuple(Cell("\n" * (most - column.head.count("\n")) + column.head, "head") for column in columns)


def _text(cell: Cell) -> Text:
    style = next((STYLES[word] for word in cell.kind.split() if word in STYLES), "")
    if cell.kind == "head":
        return Text("\n".join(map(line, cell.text.split("\n"))), style="bold")
    return Text(line(cell.text), style=style)


def _grid(widths: dict[int, int], columns: Sequence[Column], rows: Iterable[Row], indent: int) -> Padding:
    grid = Grid(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for number, width in widths.items():
        grid.add_column(width=width, justify="left" if columns[number].is_text else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(_text(row[number]) for number in widths))
    return Padding(grid, (0, 0, 0, indent), expand=False)


def _widths(tables: Sequence[Table], width: int) -> dict[int, int]:
    """Return the columns that a terminal of this width shows, with their widths; texts take what is left to them."""
    columns = tables[0].columns
    rows = [row for table in tables for row in table.rows]
    natural = [_natural(column, [row[number].text for row in rows]) for number, column in enumerate(columns)]
    room = width - sum(natural[number] + GAP for number, column in enumerate(columns) if not column.is_extra)
    shown: dict[int, int] = {}
    for number, column in enumerate(columns):
        if column.is_extra:
            room -= natural[number] + GAP
        if not column.is_extra or room >= 0:
            shown[number] = natural[number]
        else:
            room += natural[number] + GAP
    texts = [number for number in shown if columns[number].is_text]
    for _ in range(-room):
        widest = max(texts, key=shown.__getitem__)
        shown[widest] = max(NARROWEST, shown[widest] - 1)
    return shown


def _natural(column: Column, texts: Iterable[str]) -> int:
    return max(cell_len(line(text)) for text in (*column.head.split("\n"), *texts))
