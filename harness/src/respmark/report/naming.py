"""What a table's heading says, and what its rows do: what they have in common, and what differs between them."""

from collections.abc import Callable, Sequence

from respmark.figures.cells import Cell
from respmark.report.notes import joined, workload_label


def parts(cell: Cell) -> tuple[str, str, str, str]:
    """Return what a row is about: client, use, workload and server; the latter two only if the run has several."""
    use = joined(cell.scenario, cell.shape.label)
    return cell.name, use, workload_label(cell), f"on {cell.server}" if cell.names_server else ""


def differing(group: Sequence[Cell]) -> tuple[bool, ...]:
    """Return which of these parts differ between the rows of a table; a single row is named by its client."""
    differ = tuple(len(set(values)) > 1 for values in zip(*map(parts, group), strict=True))
    return differ if any(differ) else (True, False, False, False)


def label_of(group: Sequence[Cell]) -> str:
    """Return the heading of a table: what its rows have in common."""
    return joined(*(part for part, differs in zip(parts(group[0]), differing(group), strict=True) if not differs))


def namer(group: Sequence[Cell]) -> Callable[[Cell], str]:
    """Return what names a row: what differs between the rows."""
    differ = differing(group)

    def name(cell: Cell) -> str:
        *others, server = (part if differs else "" for part, differs in zip(parts(cell), differ, strict=True))
        return " ".join(filter(None, [joined(*others), server])).removeprefix("on " if not any(others) else "")

    return name
