"""Chapters in a terminal, which shows extra columns if there is room for them."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from respmark.escaping import line, lines
from respmark.report.table import Chapter, Heading, Listing, Row, Table, TableCell

GAP: Final = 2
"""Characters between two columns of a terminal."""
NARROWEST: Final = 10
"""Text is not broken into narrower columns."""
BREAKS: Final = re.compile(r"(?=\[)|(?<=,)(?=[a-z])")
"""Where a word may be broken that is wider than its column: before a name's options, and between them."""
STYLES: Final = {
    "high": "bold red",
    "medium": "bold yellow",
    "low": "cyan",
    "note": "dim",
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
    """Print chapters in a terminal, each after an empty line if it has a title."""
    for number, chapter in enumerate(chapters):
        if number and chapter.title:
            console.print()
        if chapter.title:
            console.print(Text(line(chapter.title), style="bold cyan"))
        for text in chapter.lines:
            # An address that is broken into lines is none.
            is_wide = any(cell_len(word) > console.width for word in text.split())
            console.print(Text(line(text), style="dim"), soft_wrap=is_wide)
        if chapter.is_joined and chapter.tables:
            _print_tables(console, chapter.tables, GAP)
        for table in () if chapter.is_joined else chapter.tables:
            console.print()
            _print_tables(console, [table])
        for listing in chapter.listings:
            _print_listing(console, listing)
        _print_notes(console, chapter.notes)
        if chapter.command:
            console.print(Text(f"to measure the rest: {line(chapter.command)}"), soft_wrap=True)


def _print_listing(console: Console, listing: Listing) -> None:
    console.print(Text(f"{line(listing.label)}:", style="dim"))
    console.print(Text("\n".join(f"    {text}" for text in lines(listing.text).splitlines())), soft_wrap=True)


def _print_tables(console: Console, tables: Sequence[Table], indent: int = 0) -> None:
    """Print tables in the same columns; if they are indented, their heads stand once, above the first title."""
    columns, widths = tables[0].columns, _widths(tables, console.width - indent)
    most = max(column.head.count("\n") for column in columns)
    heads = [tuple(TableCell("\n" * (most - one.head.count("\n")) + one.head, "head") for one in columns)]
    if indent and _has_heads(columns) and any(table.rows for table in tables):
        console.print(_grid(widths, columns, heads, indent))
    for table in tables:
        if table.title:
            mark = Text.assemble(_text(table.mark), "  ") if table.mark else Text()
            console.print(Text.assemble(mark, (line(table.title), "bold cyan" if indent else "bold")))
        if rows := [*([] if indent or not _has_heads(columns) else heads), *table.rows]:
            console.print(_grid(widths, columns, rows, indent))
        _print_notes(console, table.notes, indent)


def _has_heads(columns: Iterable[Heading]) -> bool:
    return any(column.head for column in columns)


def _print_notes(console: Console, notes: Iterable[str], indent: int = 0) -> None:
    for note in dict.fromkeys(notes):
        console.print(Padding(Text(f"- {line(note)}", style="yellow"), (0, 0, 0, indent + 1), expand=False))


def _text(cell: TableCell, width: int | None = None) -> Text:
    """Return a cell as a terminal shows it; with a width, what stands in a column of that width."""
    if cell.style == "head":
        return Text("\n".join(map(line, cell.text.split("\n"))), style="bold")
    text = line(cell.text) if width is None else _broken(line(cell.text), width)
    return Text(text, next((STYLES[word] for word in cell.style.split() if word in STYLES), ""))


def _grid(widths: dict[int, int], columns: Sequence[Heading], rows: Iterable[Row], indent: int) -> Padding:
    grid = Grid(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for number, width in widths.items():
        grid.add_column(width=width, justify="left" if columns[number].is_text else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(_text(row[number], width) for number, width in widths.items()))
    return Padding(grid, (0, 0, 0, indent), expand=False)


def _broken(text: str, width: int) -> str:
    """Return text in which each word that is wider than its column is broken into lines, where it may be."""
    return " ".join(word if cell_len(word) <= width else _broken_word(word, width) for word in text.split(" "))


def _broken_word(word: str, width: int) -> str:
    first, *rest = BREAKS.split(word)
    found = [first]
    for part in rest:
        if found[-1] and cell_len(found[-1] + part) > width:
            found.append("")
        found[-1] += part
    return "\n".join(found)


def _least(text: str) -> int:
    """Return in how narrow a column all of its words can be read."""
    return max((cell_len(part) for word in line(text).split() for part in BREAKS.split(word)), default=0)


def _widths(tables: Sequence[Table], width: int) -> dict[int, int]:
    """Return the columns that a terminal of this width shows, with their widths.

    Texts take what is left to them; they are made so narrow that words break only where nothing else helps.
    """
    columns = tables[0].columns
    rows = [row for table in tables for row in table.rows]
    texts = [[*column.head.split("\n"), *(row[number].text for row in rows)] for number, column in enumerate(columns)]
    natural = [max(cell_len(line(text)) for text in found) for found in texts]
    room = width - sum(size + GAP for size, column in zip(natural, columns, strict=True) if not column.is_extra)
    shown: dict[int, int] = {}
    for number, (size, column) in enumerate(zip(natural, columns, strict=True)):
        if not column.is_extra or room >= size + GAP:
            shown[number] = size
            room -= size + GAP if column.is_extra else 0
    breakable = [number for number in shown if columns[number].is_text]
    least = {number: max(map(_least, texts[number])) for number in breakable}
    for _ in range(-room):
        widest = max([one for one in breakable if shown[one] > least[one]] or breakable, key=shown.__getitem__)
        shown[widest] = max(NARROWEST, shown[widest] - 1)
    return shown
