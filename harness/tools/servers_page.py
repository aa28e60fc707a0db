"""docs/servers.md: servers side by side, from the published runs of the suites `servers` and `connections`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from respmark.figures.cells import Cell
from respmark.kinds.loops.highest import highest_rates
from respmark.kinds.loops.load import load_chapters
from respmark.report.header import header_lines
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.table import SUBJECT, Chapter, Heading, Table, row
from respmark.results.records import Status
from tools.page_answers import as_list, of_servers
from tools.runs import rps_with_rounds, run_list

HEAD: Final = """# Servers side by side

{answer}

What clients and load generators reach on several servers, by connections. `make readme` makes this page from the files
of the runs; no figure was typed. In brackets, the lowest and the highest round. Servers of a row took turns. What the
published comparisons of servers claim needs more processors than this machine has: [guidance.md](guidance.md) says how
many. The runs:

{runs}

"""
ON_SERVERS: Final = "commands per second by connections, each server beside the others"


def servers_page(reports: Mapping[str, Report]) -> str:
    """Return the page; `reports` are by the run's folder, relative to the page."""
    chapters = [chapter for report in reports.values() for chapter in _chapters(report)]
    answer = as_list(one for report in reports.values() for one in of_servers(report))
    return HEAD.format(answer=answer.strip(), runs=run_list(reports)) + markdown(chapters)


def _chapters(report: Report) -> list[Chapter]:
    closed = [cell for cell in report.cells if cell.shape.rate is None]
    title = f"The suite {report.manifest.suite['name']}"
    return [
        Chapter(title, tuple(header_lines(report.manifest)), (_throughput(closed),)),
        *load_chapters(highest_rates(report.run, report.cells)),
    ]


def _throughput(cells: Sequence[Cell]) -> Table:
    """Return a row for each use and a column for each server that could be measured."""
    measured = [cell for cell in cells if cell.status is Status.OK]
    servers = list(dict.fromkeys(cell.server for cell in measured))
    uses = dict.fromkeys(map(_use, measured))
    found = {(_use(cell), cell.server): rps_with_rounds(cell) for cell in measured}
    rows = tuple(
        row(f"{client}, {workload}", f"{connections:,}", *(found.get((use, server), "") for server in servers))
        for use in uses
        for client, workload, connections in [use]
    )
    columns = (SUBJECT, Heading("connections"), *map(Heading, servers))
    return Table(ON_SERVERS, columns, rows, tuple(_left_out(cells, servers)))


def _use(cell: Cell) -> tuple[str, str, int]:
    return cell.client, cell.workload, cell.shape.max_total or 1


def _left_out(cells: Iterable[Cell], servers: Sequence[str]) -> list[str]:
    """Return why servers have no column, a line for each reason."""
    reasons = {cell.server: cell.reason or str(cell.status) for cell in cells if cell.server not in servers}
    return [f"{server}: {reason}" for server, reason in reasons.items()]
