"""How each client changes from the first workload, server or round trip on, where a block has several of both."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from respmark.figures.cells import ReportCell
from respmark.report.naming import label_of, namer
from respmark.report.report import Report
from respmark.report.scenarios import ratio_text
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Table, row

TITLE: Final = "how each client changes"
LINE: Final = "RPS divided by what the same client has there, with 95 % intervals; =: no difference shown (Holm)"


def place_chapters(report: Report) -> list[Chapter]:
    """Return the chapter, a table for each use with a row per client and a column per place; none without such."""
    uses: defaultdict[tuple[str, ...], list[ReportCell]] = defaultdict(list)
    for cell in report.cells:
        uses[_use(cell)].append(cell)
    tables = tuple(_table(cells) for cells in uses.values() if any(cell.change for cell in cells))
    return [Chapter(TITLE, (LINE,), tables, level=3)] if tables else []


def _table(cells: Sequence[ReportCell]) -> Table:
    first, *others = [cell for cell in cells if cell.client == cells[0].client]
    place_name, client_name = namer([first, *others]), namer([cell for cell in cells if _place(cell) == _place(first)])
    columns = (SUBJECT, *(Column(f"{place_name(cell)}\n/ {place_name(first)}") for cell in others))
    ratios: defaultdict[str, dict[tuple[object, ...], str]] = defaultdict(dict)
    for cell in cells:
        ratios[client_name(cell)][_place(cell)] = ratio_text(cell.change.ratio("rps")) if cell.change else ""
    rows = (
        row(Cell(name, "client"), *(of_client.get(_place(cell), "") for cell in others))
        for name, of_client in ratios.items()
    )
    return Table(label_of([first, *others]).removeprefix(f"{client_name(first)}, "), columns, tuple(rows))


def _use(cell: ReportCell) -> tuple[str, ...]:
    return cell.block, cell.scenario, cell.shape.model_copy(update={"rtt_ms": None}).model_dump_json()


def _place(cell: ReportCell) -> tuple[object, ...]:
    return cell.workload, cell.server, cell.shape.rtt_ms
