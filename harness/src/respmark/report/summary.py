"""One small table of a whole run: throughput, and what a command costs the client."""

from typing import Final

from respmark.escaping import markdown_code
from respmark.records import Status
from respmark.report import numbers
from respmark.report.markdown import row
from respmark.report.words import OTHER_DECODING, decodes_otherwise, shape_label
from respmark.statistics.cells import Cell

NOTE: Final = " decodes replies to another type, bytes or text, than the client that it is compared with."


def summary_markdown(cells: list[Cell]) -> str:
    """Return one row a scenario and shape, one column a client: RPS, and client CPU a command below it."""
    clients = list(dict.fromkeys(cell.client for cell in cells))
    places = list(dict.fromkeys(_place(cell) for cell in cells))
    by_place = {(_place(cell), cell.client): cell for cell in cells}
    lines = [
        row(["commands a second<br>client CPU a command", *map(markdown_code, clients)]),
        row(["---", *["---:"] * len(clients)]),
    ]
    lines += [row([place, *(_value(by_place.get((place, client)), cells) for client in clients)]) for place in places]
    if any(decodes_otherwise(cell, cells) for cell in cells):
        lines += ["", OTHER_DECODING + NOTE]
    return "\n".join(lines) + "\n"


def _place(cell: Cell) -> str:
    label = shape_label(cell.shape)
    return f"**{cell.scenario}**" + (f"<br>{label}" if label else "")


def _value(cell: Cell | None, cells: list[Cell]) -> str:
    if cell is None:
        return ""
    if cell.status is not Status.OK or cell.measured is None:
        return str(cell.status)
    measured = cell.measured
    decoding = f" {OTHER_DECODING}" if decodes_otherwise(cell, cells) else ""
    return f"{numbers.rps(measured.rps_median)}{decoding}<br>{numbers.microseconds(measured.client_cpu_us_per_command)}"
