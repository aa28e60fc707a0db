"""What each host did, where clients ran on several."""

from collections.abc import Iterable, Iterator
from typing import Final

from respmark.figures.cells import ReportCell
from respmark.numbers import significant
from respmark.report.table import SUBJECT, Chapter, Column, Row, Table, row
from respmark.results.records import HostShare, Status, TrialRecord

HOSTS: Final = (
    SUBJECT,
    Column("host", is_text=True),
    Column("processes"),
    Column("commands/s"),
    Column("share of commands"),
    Column("client CPU µs/command"),
    Column("clock error µs"),
    Column("all at work %"),
)
NOTE: Final = (
    "processes of several hosts begin each slice at the same moment; `all at work` is the share of the slices' time in "
    "which no host had not begun yet or was done: below 98 %, throughput is too low by what is missing"
)


def host_chapters(trials: Iterable[TrialRecord], cells: Iterable[ReportCell]) -> list[Chapter]:
    """Return a table of each client's hosts, all rounds together; nothing if clients ran on one machine."""
    apart = {cell.cell_id: cell.measured.apart_percent for cell in cells if cell.measured}
    by_cell: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        if trial.hosts and trial.status is Status.OK:
            by_cell.setdefault(trial.cell_id, []).append(trial)
    rows = tuple(line for cell_id, found in by_cell.items() for line in _rows(found, apart.get(cell_id)))
    return [Chapter("hosts", tables=(Table("", HOSTS, rows, (NOTE,)),))] if rows else []


def _rows(trials: list[TrialRecord], apart_percent: float | None) -> Iterator[Row]:
    by_host: dict[str, list[HostShare]] = {}
    for share in (share for trial in trials for share in trial.hosts):
        by_host.setdefault(share.host, []).append(share)
    every = sum(share.operations for shares in by_host.values() for share in shares)
    first = trials[0]
    for host, shares in by_host.items():
        operations, elapsed_ns = sum(one.operations for one in shares), sum(one.elapsed_ns for one in shares)
        yield row(
            f"{first.client.name}, {first.block.replace('--', ', ')}",
            host,
            str(max(one.processes for one in shares)),
            f"{operations / elapsed_ns * 1e9:,.0f}" if elapsed_ns else "",
            f"{operations / every:.0%}" if every else "",
            significant(sum(one.client_cpu_ns for one in shares) / operations / 1e3) if operations else "",
            f"{max(one.clock_error_ns for one in shares) / 1e3:,.0f}",
            "" if apart_percent is None else f"{100 - apart_percent:.0f}",
        )
