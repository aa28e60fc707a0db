"""What a server gives, by number of client hosts: the same client on few and on more of them, beside the ideal."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from respmark import numbers
from respmark.figures.cells import RunFigures
from respmark.figures.interval import Interval, over_rounds
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.record import LoopRecord
from respmark.kinds.loops.slices import loops_of
from respmark.report.labels import use_label
from respmark.report.table import Chapter, Column, TableCell, subject, tables
from respmark.results.records import Status

TITLE: Final = "throughput by number of client hosts"
LINE: Final = (
    "each client on more and more hosts, with the same number of processes on each; ideal: every host brings as much "
    "as the fewest hosts do"
)
NOTE: Final = (
    "means over rounds with their 95 % intervals (Student's t); ratios are of the same rounds, in which these blocks "
    "follow each other. Where the server's CPU is used up, what is missing to 100 % is its limit (docs/hosts.md)"
)
HostKey = tuple[str, str, int]
"""Scenario, shape and workload in words, without processes; the client; how many processes each host has."""


@dataclass(frozen=True, eq=False)
class HostPoint:
    """What a client reached on a number of hosts."""

    hosts: int
    measured: LoopFigures
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
    spread = _spread(loops_of(run))
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


def _spread(trials: Iterable[LoopRecord]) -> dict[str, tuple[int, int]]:
    """Return the hosts of each cell, and the processes of each of them, where these are always the same."""
    found: defaultdict[str, set[tuple[int, ...]]] = defaultdict(set)
    for trial in trials:
        if trial.hosts and trial.status is Status.OK:
            found[trial.cell_id].add(tuple(share.processes for share in trial.hosts))
    alike = {cell_id: next(iter(ways)) for cell_id, ways in found.items() if len(ways) == 1}
    return {cell_id: (len(one), one[0]) for cell_id, one in alike.items() if len(set(one)) == 1}


class _Line(NamedTuple):
    use: str
    client: str
    processes: int
    curve: HostCurve
    point: HostPoint

    @property
    def ratio(self) -> Interval | None:
        """Return the ratio to the fewest hosts; None if no round has both, and of the fewest themselves."""
        return None if self.is_first else self.curve.ratio(self.point)

    @property
    def is_first(self) -> bool:
        """Return whether these are the fewest hosts."""
        return self.point is self.curve.points[0]


def _of_ideal(one: _Line) -> str:
    return "" if one.ratio is None else f"{100 * one.ratio.mean / one.curve.times(one.point):.0f}"


COLUMNS: Final[tuple[Column[_Line], ...]] = (
    subject(lambda one: TableCell(one.client, "client")),
    Column("hosts", lambda one: f"{one.point.hosts:,}"),
    Column("processes\non each", lambda one: f"{one.processes:,}"),
    Column("RPS\n(95 % interval)", lambda one: _with_interval(one.point.rps, numbers.rps)),
    Column("ratio to the fewest\n(95 % interval)", lambda one: "1" if one.is_first else _with_interval(one.ratio)),
    Column("of the\nideal %", lambda one: "100" if one.is_first else _of_ideal(one)),
    Column("server\nCPU %", lambda one: f"{one.point.measured.server_cpu_percent:.0f}"),
)


def scaling_chapters(run: RunFigures) -> list[Chapter]:
    """Return the chapter, with a table per use and a row per client and number of hosts, if there are several."""
    lines = [_Line(*key, curve, point) for key, curve in host_curves(run).items() for point in curve.points]
    shown = tables(lines, lambda one: one.use, COLUMNS)
    return [Chapter(TITLE, (LINE,), shown, (NOTE,))] if shown else []


def _with_interval(interval: Interval | None, written: Callable[[float], str] = numbers.ratio) -> str:
    return "" if interval is None else numbers.interval(*interval, written, without="no interval")
