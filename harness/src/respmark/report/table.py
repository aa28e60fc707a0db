"""What every report is made of: tables as plain data. Builders make them; writers know nothing else of a run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class TableCell:
    """One value of a table."""

    text: str
    style: str = ""
    """Words for how it is shown: `client`, `best`, `partial`, `published`, a status or a verdict with hyphens."""


def style(word: str) -> str:
    """Return a status or a verdict as a word for how it is shown: `not-measured`."""
    return word.replace(" ", "-")


@dataclass(frozen=True)
class Heading:
    """What stands above a column, in one or two lines."""

    head: str
    is_extra: bool = field(default=False, kw_only=True)
    """Whether a terminal shows the column only if there is room for it."""
    is_text: bool = field(default=False, kw_only=True)
    """Whether it is read as text: aligned to the left, and broken into lines where there is no room."""


@dataclass(frozen=True)
class Column(Heading, Generic[T]):
    """A column, and what it has of each thing that has a row."""

    text: Callable[[T], str | TableCell]


SUBJECT: Final = Heading("", is_text=True)
"""The first column of most tables: what a row is about."""
Row = tuple[TableCell, ...]


def subject(text: Callable[[T], str | TableCell]) -> Column[T]:
    """Return the first column of most tables."""
    return Column("", text, is_text=True)


def row(*values: str | TableCell) -> Row:
    """Return a row of these values."""
    return tuple(TableCell(value) if isinstance(value, str) else value for value in values)


@dataclass(frozen=True)
class Table:
    """A table; the first column says what each row is about."""

    title: str
    columns: Sequence[Heading]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    mark: TableCell | None = None
    """What stands before the title, such as a claim's verdict."""


def table(title: str, rows: Iterable[T], columns: Sequence[Column[T]], notes: Iterable[str] = ()) -> Table:
    """Return a table with a row for each thing."""
    made = tuple(row(*(column.text(one) for column in columns)) for one in rows)
    return Table(title, columns, made, tuple(notes))


def tables(rows: Iterable[T], title: Callable[[T], str], columns: Sequence[Column[T]]) -> tuple[Table, ...]:
    """Return a table for each title, in the order of the rows, without columns that are empty in all of them."""
    groups: dict[str, list[T]] = {}
    for one in rows:
        groups.setdefault(title(one), []).append(one)
    return without_empty_columns([table(name, found, columns) for name, found in groups.items()])


@dataclass(frozen=True)
class Listing:
    """Lines of a program, to be copied."""

    label: str
    """What they are for."""
    text: str


@dataclass(frozen=True)
class Chapter:
    """Tables on one topic, and what is said above and below them."""

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    command: str | None = None
    """The command that measures what the chapter lacks."""
    listings: tuple[Listing, ...] = ()
    """Shown after the tables."""
    is_joined: bool = False
    """Whether its tables, which then have the same columns, are shown as one, with their titles between the rows."""
    level: int = 2
    """Of its heading."""


def without_column(table: Table, column: Heading) -> Table:
    """Return a table without a column, if it has it."""
    kept = [place for place, one in enumerate(table.columns) if one is not column]
    return _with_columns(table, kept)


def _with_columns(table: Table, kept: Sequence[int]) -> Table:
    rows = tuple(tuple(one[place] for place in kept) for one in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=rows)


def without_empty_columns(tables: Sequence[Table], *nothing: str) -> tuple[Table, ...]:
    """Return tables that have the same columns, without those in which no table has a value, other than `nothing`."""
    rows = [one for table in tables for one in table.rows]
    columns = range(len(tables[0].columns)) if tables else ()
    kept = [number for number in columns if not number or {one[number].text for one in rows} - {"", *nothing}]
    return tuple(_with_columns(table, kept) for table in tables)
