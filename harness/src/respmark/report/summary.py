"""One small table of a whole run: throughput, and what a command costs the client."""

from collections.abc import Iterable
from typing import Final

from respmark import numbers
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_code, markdown_row
from respmark.report.notes import OTHER_DECODING, cell_label, decodes_otherwise
from respmark.statistics.cells import ReportCell

NOT_WARM: Final = "‡"


def summary_markdown(cells: list[ReportCell]) -> str:
    """Return one row per client, one column per scenario and shape: RPS, and client CPU per command below it.

    Bold: no other client is shown to be faster.
    """
    clients = list(dict.fromkeys(cell.client for cell in cells))
    places = list(dict.fromkeys(_place(cell) for cell in cells))
    by_place = {(_place(cell), cell.client): cell for cell in cells}
    lines = [
        markdown_row(["commands per second<br>client CPU per command", *places]),
        markdown_row(["---", *["---:"] * len(places)]),
    ]
    lines += [
        markdown_row([markdown_code(client), *(_value(by_place.get((place, client)), cells) for place in places)])
        for client in clients
    ]
    return "\n".join(lines) + "\n"


def summary_legend(cells: Iterable[ReportCell]) -> str:
    """Return what the marks in the table mean, for those that it has."""
    cells = list(cells)
    words = []
    if any(_is_fastest(cell) for cell in cells):
        words.append(
            "Bold: no other client is shown to be faster; several in a column: no difference between them shown."
        )
    if any(cell.is_partial for cell in cells):
        words.append("\\*: from fewer rounds or slices than planned.")
    if any(decodes_otherwise(cell, cells) for cell in cells):
        words.append(f"{OTHER_DECODING}: decodes replies to a different type (bytes or text) than the first client.")
    if any(_was_not_warm(cell) for cell in cells):
        words.append(f"{NOT_WARM}: was still being compiled, or not steady, when its warm-up reached the limit.")
    return " ".join([*words, "Empty: not part of the suite."])


def _place(cell: ReportCell) -> str:
    label = cell_label(cell)
    return f"**{cell.scenario}**" + (f"<br>{label}" if label else "")


def _is_fastest(cell: ReportCell) -> bool:
    return cell.standing is not None and cell.standing.is_claimed and cell.standing.is_fastest


def _was_not_warm(cell: ReportCell) -> bool:
    """Return whether it was measured before it was steady in any round."""
    return cell.measured is not None and cell.measured.rounds_not_steady > 0


def _value(cell: ReportCell | None, cells: list[ReportCell]) -> str:
    if cell is None:
        return ""
    if cell.measured is None:
        return escaped(str(cell.status))
    measured = cell.measured
    rps = numbers.rps(measured.rps_median)
    rps += f" {OTHER_DECODING}" if decodes_otherwise(cell, cells) else ""
    rps += f" {NOT_WARM}" if _was_not_warm(cell) else ""
    rps += " \\*" if cell.is_partial else ""
    return f"{f'**{rps}**' if _is_fastest(cell) else rps}<br>{numbers.microseconds(measured.client_cpu_us_per_command)}"
