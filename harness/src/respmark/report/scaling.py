"""What a server gives, by number of client hosts: the same client on few and on more of them, beside the ideal."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from respmark import numbers
from respmark.figures.cells import RunFigures
from respmark.figures.interval import Interval, over_rounds
from respmark.figures.measured import Measured
from respmark.report.notes import use_label
from respmark.report.table import SUBJECT, Chapter, Column, Row, Table, TableCell, row
from respmark.results.records import Status, TrialRecord

TITLE: Final = "throughput by number of client hosts"
LINE: Final = (
    "each client on more and more hosts, with the same number of processes on each; ideal: every host brings as much "
    "as the fewest hosts do"
)
NOTE: Final = (
    "means over rounds with their 95 % intervals (Student's t); ratios are of the same rounds, in which these blocks "
    "follow each other. Where the server's CPU is used up, what is missing to 100 % is its limit (docs/hosts.md)"
)
COLUMNS: Final = (
    SUBJECT,
    Column("hosts"),
    Column("processes\non each"),
    Column("RPS\n(95 % interval)"),
    Column("ratio to the fewest\n(95 % interval)"),
    Column("of the\nideal %"),
    Column("server\nCPU %"),
)
HostKey = tuple[str, str, int]
"""Scenario, shape and workload in words, without processes; the client; how many processes each host has."""


@dataclass(frozen=True, eq=False)
class HostPoint:
    """What a client reached on a number of hosts."""

    hosts: int
    measured: Measured
    rps_by_round: Mapping[int, float]

    @cached_property
    def rps(self) -> Interval:
        """Return its commands per second."""
        return over_rounds(list(self.rps_by_round.values()))


@dataclass(frozen=True, eq=False)
class HostCurve:
    """The figures of a client that differ only in the number of hosts, from the fewest to the most."""

    points: Sequence[HostPoint]

    def times(self, point: HostPoint) -> float:
        """Return how many times the fewest hosts a point has."""
        return point.hosts / self.points[0].hosts

    def ideal_rps(self, point: HostPoint) -> float:
        """Return what as many hosts would reach if each brought what the fewest do."""
        return self.points[0].rps.mean * self.times(point)

    def ratio(self, point: HostPoint) -> Interval | None:
        """Return a point's throughput divided by that of the fewest hosts; None if no round has both."""
        fewest = self.points[0].rps_by_round
        ratios = [rps / fewest[number] for number, rps in point.rps_by_round.items() if number in fewest]
        return over_rounds(ratios) if ratios else None


def host_curves(run: RunFigures) -> dict[HostKey, HostCurve]:
    """Return the curves of what was measured on several numbers of hosts, in the order of the cells.

    Cells whose processes did not spread evenly, or not alike in every round, are in none of them.
    """
    spread = _spread(run.trials)
    rps: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for cell_id, number, one in run.rounds["cell_id", "round", "rps_median"].iter_rows():
        if one:
            rps[cell_id][number] = one
    found: defaultdict[HostKey, dict[int, HostPoint]] = defaultdict(dict)
    for cell in run.cells:
        if cell.measured and cell.cell_id in rps and cell.cell_id in spread and cell.shape.rate is None:
            hosts, processes = spread[cell.cell_id]
            key = (use_label(cell, "processes"), cell.subject, processes)
            found[key].setdefault(hosts, HostPoint(hosts, cell.measured, rps[cell.cell_id]))
    return {
        key: HostCurve([by_hosts[hosts] for hosts in sorted(by_hosts)])
        for key, by_hosts in found.items()
        if len(by_hosts) > 1
    }


def _spread(trials: Iterable[TrialRecord]) -> dict[str, tuple[int, int]]:
    """Return the hosts of each cell, and the processes of each of them, where these are always the same."""
    found: defaultdict[str, set[tuple[int, ...]]] = defaultdict(set)
    for trial in trials:
        if trial.hosts and trial.status is Status.OK:
            found[trial.cell_id].add(tuple(share.processes for share in trial.hosts))
    alike = {cell_id: next(iter(ways)) for cell_id, ways in found.items() if len(ways) == 1}
    return {cell_id: (len(one), one[0]) for cell_id, one in alike.items() if len(set(one)) == 1}


def scaling_chapters(run: RunFigures) -> list[Chapter]:
    """Return the chapter, with a table per use and a row per client and number of hosts, if there are several."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for (use, client, processes), curve in host_curves(run).items():
        rows[use] += [_row(client, processes, curve, point) for point in curve.points]
    tables = tuple(Table(use, COLUMNS, tuple(of_use)) for use, of_use in rows.items())
    return [Chapter(TITLE, (LINE,), tables, (NOTE,))] if tables else []


def _row(client: str, processes: int, curve: HostCurve, point: HostPoint) -> Row:
    ratio, is_first = curve.ratio(point), point is curve.points[0]
    return row(
        TableCell(client, "client"),
        f"{point.hosts:,}",
        f"{processes:,}",
        _with_interval(point.rps, numbers.rps),
        "1" if is_first else _with_interval(ratio, numbers.ratio),
        "100" if is_first else "" if ratio is None else f"{100 * ratio.mean / curve.times(point):.0f}",
        f"{point.measured.server_cpu_percent:.0f}",
    )


def _with_interval(interval: Interval | None, written: Callable[[float], str]) -> str:
    return "" if interval is None else numbers.interval(*interval, written, without="no interval")
