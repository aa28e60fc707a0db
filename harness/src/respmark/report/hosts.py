"""What each host did, where clients ran on several."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from respmark.figures.cells import Cell
from respmark.figures.metric import known_median
from respmark.numbers import significant
from respmark.report.table import SUBJECT, Chapter, Column, Row, Table, TableCell, row
from respmark.results.records import HostShare, Status, TrialRecord

HOSTS: Final = (
    SUBJECT,
    Column("host", is_text=True),
    Column("processes"),
    Column("RPS"),
    Column("share %"),
    Column("client\nCPU µs"),
    Column("others'\nCPU %"),
    Column("clock\nerror µs"),
    Column("all at\nwork %"),
)
NOTE: Final = (
    "processes of several hosts begin each slice at the same moment; all at work: the share of the slices' time in "
    "which every host worked. Below 98 %, RPS is too low by what is missing. Others' CPU, in percent of one processor: "
    "all other programs on the host's machine, those of other hosts on it included"
)


def host_chapters(trials: Iterable[TrialRecord], cells: Iterable[Cell]) -> list[Chapter]:
    """Return a table of each block's hosts, all rounds together; nothing if clients ran on one machine."""
    apart = {cell.cell_id: cell.measured.apart_percent for cell in cells if cell.measured}
    blocks: defaultdict[str, defaultdict[str, list[TrialRecord]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        if trial.hosts and trial.status is Status.OK:
            blocks[trial.block][trial.cell_id].append(trial)
    tables = tuple(
        Table(
            block.replace("--", ", "),
            HOSTS,
            tuple(line for cell_id, found in cells_of.items() for line in _rows(found, apart.get(cell_id))),
        )
        for block, cells_of in blocks.items()
    )
    return [Chapter("hosts", tables=tables, notes=(NOTE,))] if tables else []


def _rows(trials: list[TrialRecord], apart_percent: float | None) -> Iterator[Row]:
    by_host: defaultdict[str, list[HostShare]] = defaultdict(list)
    for share in (share for trial in trials for share in trial.hosts):
        by_host[share.host].append(share)
    every = sum(share.operations for shares in by_host.values() for share in shares)
    for host, shares in by_host.items():
        operations, elapsed_ns = sum(one.operations for one in shares), sum(one.elapsed_ns for one in shares)
        others = known_median([one.other_cpu_percent for one in shares])
        yield row(
            TableCell(trials[0].client.name, "client"),
            host,
            str(max(one.processes for one in shares)),
            f"{operations / elapsed_ns * 1e9:,.0f}" if elapsed_ns else "",
            f"{operations / every:.0%}".rstrip("%") if every else "",
            significant(sum(one.client_cpu_ns for one in shares) / operations / 1e3) if operations else "",
            "" if others is None else f"{others:.0f}",
            f"{max(one.clock_error_ns for one in shares) / 1e3:,.0f}",
            "" if apart_percent is None else f"{100 - apart_percent:.0f}",
        )
