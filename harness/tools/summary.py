"""One small table of a whole run, for a README: throughput, and what a command costs the client."""

from collections.abc import Sequence
from typing import Final

from respmark import numbers
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_code, markdown_table
from respmark.figures.cells import Cell
from respmark.kinds.loops.columns import connections
from respmark.report.labels import cell_label

NOT_WARM: Final = "‡"
BOLD: Final = "Bold: fastest, or tied within measurement error."
MARKS: Final = {
    "\\*": "from fewer rounds or slices than planned.",
    NOT_WARM: "was still being compiled, or not steady, when its warm-up reached the limit.",
}


def summary_markdown(cells: Sequence[Cell]) -> str:
    """Return one row per client, one column per scenario and shape: RPS, client CPU, and connections if several."""
    clients = list(dict.fromkeys(cell.subject for cell in cells))
    places = list(dict.fromkeys(map(_place, cells)))
    by_place = {(_place(cell), cell.subject): _value(cell) for cell in cells}
    heads = ["commands per second<br>lowest..highest round<br>client CPU per command", *places]
    rows = [[markdown_code(client), *(by_place.get((place, client), "") for place in places)] for client in clients]
    return markdown_table(heads, rows, numbers=len(places))


def summary_legend(cells: Sequence[Cell]) -> str:
    """Return what the marks in the table mean, for those that it has."""
    text = summary_markdown(cells)
    bold = [BOLD] if any(map(_is_fastest, cells)) else []
    marks = [f"{mark}: {meaning}" for mark, meaning in MARKS.items() if mark in text]
    return " ".join([*bold, *marks, "Empty: not part of the suite."])


def _place(cell: Cell) -> str:
    label = escaped(cell_label(cell))
    return f"**{cell.scenario}**" + (f"<br>{label}" if label else "")


def _is_fastest(cell: Cell) -> bool:
    return cell.standing is not None and cell.standing.is_claimed and cell.standing.is_fastest


def _value(cell: Cell) -> str:
    measured = cell.measured
    if measured is None:
        return escaped(str(cell.status))
    rps = numbers.rps(measured.rps_median)
    rps += f" {NOT_WARM}" if measured.rounds_not_steady else ""
    rps += " \\*" if cell.is_partial else ""
    lines = [f"**{rps}**" if _is_fastest(cell) else rps]
    if cell.rounds > 1:
        lines.append(f"{numbers.rps(measured.rps_min)}..{numbers.rps(measured.rps_max)}")
    lines.append(numbers.microseconds(measured.client_cpu_us_per_command))
    if seen := connections(cell, measured):
        lines.append(seen.replace(" (", " conn.<br>(") if " (" in seen else f"{seen} conn.")
    return "<br>".join(lines)
