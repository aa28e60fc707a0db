"""docs/network.md: the same clients behind several round trips, from the published run of the suite `network`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell
from respmark.report.guidance import NOT_WARM, NOT_WARM_NOTE
from respmark.report.header import header_lines
from respmark.report.labels import joined, workload_label
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.table import SUBJECT, Chapter, Heading, Table, TableCell, row, style
from tools.page_answers import of_network
from tools.runs import rps_with_rounds, run_list

PICTURE: Final = "network.svg"
HEAD: Final = f"""# What a network changes

{{answer}}

The same clients on the server's machine and behind round trips, which a relay makes by holding replies
([measuring](measuring.md#a-network-between-client-and-server)). `make readme` makes this page from the run's files; no
figure was typed. In brackets, the lowest and the highest round. The clients of a column took turns. Behind 0.2 ms every
library was measured: [clients.md](clients.md) has those by language.

![Throughput of batches by depth, a line for each round trip]({PICTURE})

{{runs}}

"""


@dataclass(frozen=True)
class Shown:
    """A figure that has a table for each scenario."""

    title: str
    text: Callable[[Cell], str]


def _client_cpu(cell: Cell) -> str:
    return numbers.microseconds(cell.measured.client_cpu_us_per_command) if cell.measured else ""


SHOWN: Final = (Shown("commands per second", rps_with_rounds), Shown("client CPU per command", _client_cpu))


def network_page(reports: Mapping[str, Report]) -> str:
    """Return the page; `reports` are by the run's folder, relative to the page."""
    chapters = [chapter for report in reports.values() for chapter in _chapters(report)]
    answer = "\n".join(one for report in reports.values() for one in of_network(report))
    return HEAD.format(answer=answer.strip(), runs=run_list(reports)) + markdown(chapters)


def _chapters(report: Report) -> Iterator[Chapter]:
    """Yield what the run was, and a chapter for each scenario."""
    loops = [cell for cell in report.cells if cell.shape.rate is None]
    compared = {_use(cell) for cell in loops if not _trip(cell)}
    cells = [cell for cell in loops if _use(cell) in compared]
    yield Chapter("", tuple(header_lines(report.manifest)))
    for scenario in dict.fromkeys(cell.scenario for cell in cells):
        own = [cell for cell in cells if cell.scenario is scenario]
        notes = (NOT_WARM_NOTE,) if any(map(_was_cold, own)) else ()
        yield Chapter(str(scenario), tables=tuple(_table(shown, own) for shown in SHOWN), notes=notes)


def _table(shown: Shown, cells: Sequence[Cell]) -> Table:
    """Return a row for each client and shape, and a column for each round trip."""
    trips = sorted({_trip(cell) for cell in cells})
    found = {(*_use(cell), _trip(cell)): cell for cell in cells}
    rows = tuple(
        row(
            TableCell(client, "client"),
            shape,
            *(_value(shown, found.get((scenario, client, shape, one))) for one in trips),
        )
        for scenario, client, shape in dict.fromkeys(map(_use, cells))
    )
    heads = (Heading(f"{trip_ms:g} ms" if trip_ms else "no network") for trip_ms in trips)
    return Table(shown.title, (SUBJECT, Heading("shape", is_text=True), *heads), rows)


def _use(cell: Cell) -> tuple[Scenario, str, str]:
    return cell.scenario, cell.subject, joined(cell.shape.direct.label, workload_label(cell))


def _trip(cell: Cell) -> float:
    return cell.shape.rtt_ms or 0.0


def _value(shown: Shown, cell: Cell | None) -> TableCell:
    if cell is None:
        return TableCell("")
    if cell.measured is None:
        return TableCell(cell.status, style(cell.status))
    return TableCell(shown.text(cell) + (f" {NOT_WARM}" if _was_cold(cell) else ""))


def _was_cold(cell: Cell) -> bool:
    return cell.measured is not None and bool(cell.measured.rounds_not_steady)
