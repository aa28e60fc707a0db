"""Chapters as a document in Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from respmark.escaping import lines, markdown_code, markdown_row
from respmark.escaping import markdown as escaped
from respmark.report.table import SUBJECT, Chapter, Heading, Listing, Table, TableCell

FENCE: Final = "```"
FENCES: Final = re.compile("`{3,}")


def markdown(chapters: Iterable[Chapter]) -> str:
    """Return chapters as one document in Markdown."""
    return "\n".join(part for chapter in chapters for part in _chapter(chapter))


def _chapter(chapter: Chapter) -> Iterator[str]:
    if chapter.title:
        yield f"{'#' * chapter.level} {escaped(chapter.title)}\n"
    yield from _bullets(chapter.lines) if len(chapter.lines) > 1 else (f"{escaped(one)}\n" for one in chapter.lines)
    if chapter.is_joined and chapter.tables:
        yield _joined(chapter.tables)
        yield from _bullets(note for table in chapter.tables for note in table.notes)
    for table in () if chapter.is_joined else chapter.tables:
        if table.title:
            yield f"{_title(table)}\n" if table.mark else f"**{_title(table)}**\n"
        yield _rows(table.columns, [map(_cell, row) for row in table.rows])
        yield from _bullets(table.notes)
    yield from map(_listing, chapter.listings)
    yield from _bullets(chapter.notes)
    if chapter.command:
        yield f"To measure the rest: {markdown_code(chapter.command)}\n"


def _listing(listing: Listing) -> str:
    return f"{escaped(listing.label)}:\n\n{FENCE}text\n{FENCES.sub('``', lines(listing.text))}\n{FENCE}\n"


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    if found := [f"- {escaped(text)}" for text in dict.fromkeys(texts)]:
        yield "\n".join(found) + "\n"


def _joined(tables: Sequence[Table]) -> str:
    """Return tables of the same columns as one, with their titles in a first column."""
    rows = [
        ("" if number else _title(table), *map(_cell, row))
        for table in tables
        for number, row in enumerate(table.rows or [(TableCell(""),) * len(table.columns)])
    ]
    return _rows((SUBJECT, *tables[0].columns), rows)


def _title(table: Table) -> str:
    mark = f"**{escaped(table.mark.text)}** " if table.mark else ""
    return mark + escaped(table.title)


def _rows(columns: Iterable[Heading], rows: Iterable[Iterable[str]]) -> str:
    heads = [escaped(column.head.replace("\n", " ")) for column in columns]
    aligned = ["---" if column.is_text else "---:" for column in columns]
    return "".join(f"{markdown_row(row)}\n" for row in (heads, aligned, *rows))


def _cell(cell: TableCell) -> str:
    styles = cell.style.split()
    text = markdown_code(cell.text) if "client" in styles else escaped(cell.text)
    return f"**{text}**" if "best" in styles else text
