"""Names: of cells, of what their rows have in common, and of many things in one line."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from respmark.figures.cells import Cell

NAMED: Final = 3
"""How many of a kind a line names; the others are counted."""


def listed(names: Iterable[str], comma: str = ", ") -> str:
    """Return names as text: a few of them, and how many there are besides."""
    found = list(names)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return comma.join(found[:NAMED]) + more


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: `1 round`, `3 rounds`."""
    return f"{count} {noun}{'s' if count != 1 else ''}"


def joined(*words: str) -> str:
    """Return the words that are not empty, with commas between them."""
    return ", ".join(filter(None, words))


def workload_label(cell: Cell) -> str:
    """Return a cell's workload in words; empty if its run has only one."""
    return f"workload {cell.workload}" if cell.names_workload else ""


def cell_label(cell: Cell) -> str:
    """Return a cell's shape in words, and its workload if its run has several."""
    return joined(cell.shape.label, workload_label(cell))


def use_label(cell: Cell, *without: str) -> str:
    """Return scenario, shape and workload in words; `without` names fields of the shape that are left out."""
    return joined(cell.scenario, cell.shape.without(*without).label, workload_label(cell))


def cell_name(cell: Cell) -> str:
    """Return a cell in words: `jedis batching (depth 10)`."""
    return f"{cell.subject} {cell.scenario}{in_shape(cell)}"


def in_shape(cell: Cell) -> str:
    """Return a cell's shape in brackets, to follow its scenario; empty if nothing needs to be said."""
    label = cell_label(cell)
    return f" ({label})" if label else ""


def _parts(cell: Cell) -> tuple[str, str, str, str]:
    """Return what a row is about: client, use, workload and server; the latter two only if the run has several."""
    use = joined(cell.scenario, cell.shape.label)
    return cell.name, use, workload_label(cell), f"on {cell.server}" if cell.names_server else ""


def _differing(group: Sequence[Cell]) -> tuple[bool, ...]:
    """Return which of these parts differ between the rows of a table; a single row is named by its client."""
    differ = tuple(len(set(values)) > 1 for values in zip(*map(_parts, group), strict=True))
    return differ if any(differ) else (True, False, False, False)


def heading(group: Sequence[Cell]) -> str:
    """Return the heading of a table: what its rows have in common."""
    return joined(*(part for part, differs in zip(_parts(group[0]), _differing(group), strict=True) if not differs))


def row_namer(group: Sequence[Cell]) -> Callable[[Cell], str]:
    """Return what names a row: what differs between the rows."""
    differ = _differing(group)

    def name(cell: Cell) -> str:
        *others, server = (part if differs else "" for part, differs in zip(_parts(cell), differ, strict=True))
        return " ".join(filter(None, [joined(*others), server])).removeprefix("on " if not any(others) else "")

    return name


class Footnotes(dict[str, int]):
    """The numbered notes of a table, each once."""

    def number(self, note: str | None) -> str:
        """Return a note's number for the row that it belongs to; empty if there is no note."""
        return "" if note is None else str(self.setdefault(note, len(self) + 1))

    @property
    def numbered(self) -> tuple[str, ...]:
        """Return all notes with their numbers in front."""
        return tuple(f"({number}) {note}" for note, number in self.items())
