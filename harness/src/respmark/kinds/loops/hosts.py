"""What each host did, where clients ran on several."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from respmark.figures.cells import RunFigures
from respmark.figures.metric import known_median
from respmark.kinds.loops.record import HostShare, LoopRecord
from respmark.kinds.loops.slices import loops_of
from respmark.numbers import significant
from respmark.report.table import Chapter, Column, TableCell, subject, table
from respmark.results.records import Status

NOTE: Final = (
    "processes of several hosts begin each slice at the same moment; all at work: the share of the slices' time in "
    "which every host worked. Below 98 %, RPS is too low by what is missing. Others' CPU, in percent of one processor: "
    "all other programs on the host's machine, those of other hosts on it included"
)


class _Line(NamedTuple):
    """A host's part in all rounds of a cell."""

    client: str
    host: str
    processes: int
    operations: int
    share: float
    """Of the commands of all hosts."""
    elapsed_ns: int
    client_cpu_us: float | None
    """Per command."""
    others_percent: float | None
    clock_error_ns: int
    apart_percent: float | None


COLUMNS: Final[tuple[Column[_Line], ...]] = (
    subject(lambda one: TableCell(one.client, "client")),
    Column("host", lambda one: one.host, is_text=True),
    Column("processes", lambda one: str(one.processes)),
    Column("RPS", lambda one: f"{one.operations / one.elapsed_ns * 1e9:,.0f}" if one.elapsed_ns else ""),
    Column("share %", lambda one: f"{one.share:.0%}".rstrip("%")),
    Column("client\nCPU µs", lambda one: significant(one.client_cpu_us)),
    Column("others'\nCPU %", lambda one: "" if one.others_percent is None else f"{one.others_percent:.0f}"),
    Column("clock\nerror µs", lambda one: f"{one.clock_error_ns / 1e3:,.0f}"),
    Column("all at\nwork %", lambda one: "" if one.apart_percent is None else f"{100 - one.apart_percent:.0f}"),
)


def host_chapters(run: RunFigures) -> list[Chapter]:
    """Return a table of each block's hosts, all rounds together; nothing if clients ran on one machine."""
    apart = {cell.cell_id: cell.measured.apart_percent for cell in run.cells if cell.measured}
    blocks: defaultdict[str, defaultdict[str, list[LoopRecord]]] = defaultdict(lambda: defaultdict(list))
    for trial in loops_of(run):
        if trial.hosts and trial.status is Status.OK:
            blocks[trial.block][trial.cell_id].append(trial)
    shown = tuple(
        table(
            block.replace("--", ", "),
            [line for cell_id, found in of_cells.items() for line in _lines(found, apart.get(cell_id))],
            COLUMNS,
        )
        for block, of_cells in blocks.items()
    )
    return [Chapter("hosts", tables=shown, notes=(NOTE,))] if shown else []


def _lines(trials: list[LoopRecord], apart_percent: float | None) -> Iterator[_Line]:
    by_host: defaultdict[str, list[HostShare]] = defaultdict(list)
    for share in (share for trial in trials for share in trial.hosts):
        by_host[share.host].append(share)
    every = sum(share.operations for shares in by_host.values() for share in shares)
    for host, shares in by_host.items():
        operations = sum(one.operations for one in shares)
        yield _Line(
            client=trials[0].client.name,
            host=host,
            processes=max(one.processes for one in shares),
            operations=operations,
            share=operations / every if every else 0.0,
            elapsed_ns=sum(one.elapsed_ns for one in shares),
            client_cpu_us=sum(one.client_cpu_ns for one in shares) / operations / 1e3 if operations else None,
            others_percent=known_median([one.other_cpu_percent for one in shares]),
            clock_error_ns=max(one.clock_error_ns for one in shares),
            apart_percent=apart_percent,
        )
