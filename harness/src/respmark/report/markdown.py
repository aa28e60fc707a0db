"""Chapters in Markdown."""

from collections.abc import Iterable, Iterator

from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_code, markdown_row
from respmark.report.table import Cell, Chapter, Column, Table


def markdown(chapters: Iterable[Chapter]) -> str:
    """Return chapters as one document."""
    return "\n".join(part for chapter in chapters for part in _chapter(chapter))


def _chapter(chapter: Chapter) -> Iterator[str]:
    if chapter.title:
        yield f"{'#' * chapter.level} {escaped(chapter.title)}\n"
    yield from _said(chapter.lines)
    if chapter.is_joined:
        yield from _joined(chapter.tables)
    else:
        for table in chapter.tables:
            yield from _table(table)
    yield from _bullets(chapter.notes)
    if chapter.command:
        yield f"To measure the rest: {markdown_code(chapter.command)}\n"


def _said(lines: tuple[str, ...]) -> Iterator[str]:
    return _bullets(lines) if len(lines) > 1 else (f"{escaped(line)}\n" for line in lines)


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    if found := [f"- {escaped(text)}" for text in dict.fromkeys(texts)]:
        yield "\n".join(found) + "\n"


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{_title(table)}**\n"
    yield _rows(table.columns, [map(_cell, row) for row in table.rows])
    yield from _bullets(table.notes)


def _joined(tables: tuple[Table, ...]) -> Iterator[str]:
    """Yield tables of the same columns as one, with their titles in a first column."""
    if not tables:
        return
    rows = [
        ("" if number else _title(table), *map(_cell, row))
        for table in tables
        for number, row in enumerate(table.rows or [(Cell(""),) * len(table.columns)])
    ]
    yield _rows((Column("", is_text=True), *tables[0].columns), rows)
    yield from _bullets(note for table in tables for note in table.notes)


def _title(table: Table) -> str:
    mark = f"**{escaped(table.mark.text)}** " if table.mark else ""
    return mark + escaped(table.title)


def _rows(columns: Iterable[Column], rows: Iterable[Iterable[str]]) -> str:
    heads = [escaped(column.head.replace("\n", " ")) for column in columns]
    aligned = ["---" if column.is_text else "---:" for column in columns]
    return "".join(f"{markdown_row(row)}\n" for row in (heads, aligned, *rows))


def _cell(cell: Cell) -> str:
    kinds = cell.kind.split()
    text = markdown_code(cell.text) if "client" in kinds else escaped(cell.text)
    return f"**{text}**" if "best" in kinds else text
