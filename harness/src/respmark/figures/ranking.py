"""Which clients of a scenario, shape and workload are the best: all pairs that took turns are one family.

No client is picked by its figure and compared afterwards: the best are those that no other is shown to be better
than, with claims corrected for all pairs together (Holm). The answer is therefore the same for every baseline, and if
no difference is shown between several clients, none of them is called the best.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Final

from respmark.contract.base import Message, PositiveCount
from respmark.figures.blocks import CountedCell, CountedCells
from respmark.figures.compare import Ratio
from respmark.figures.measured import COMPARED
from respmark.figures.ratios import RatioTable, compares_places
from respmark.results.records import on_server

PairRatios = dict[tuple[str, str], Ratio]
"""By two cells; the ratio is of the first to the second."""


@dataclass(frozen=True)
class Pairs:
    """The ratios of all pairs of one row: cells of the same block, scenario, shape and workload."""

    cells: CountedCells
    by_metric: Mapping[str, PairRatios]

    def ratio(self, metric: str, cell: str, baseline: str) -> Ratio | None:
        """Return the ratio of a cell to another; None if they have no lap in common."""
        ratios = self.by_metric[metric]
        turned = ratios.get((baseline, cell))
        return ratios.get((cell, baseline)) or (turned and turned.inverse)


def pairs_of(table: RatioTable, metrics: Collection[str] = COMPARED) -> list[Pairs]:
    """Return the pairs of every row, in the order of the blocks and their cells.

    What is shown is corrected for all pairs of a row and metric (Holm): looking at all of them, or picking the best one
    by its figures, amounts to that many comparisons.
    """
    rows = [row for cells in table.blocks.values() for row in _rows(cells)]
    pairs = {
        (number, one, other): (row[one], row[other])
        for number, row in enumerate(rows)
        for other, one in combinations(row, 2)
    }
    of_rows = RatioTable(dict(enumerate(rows)), table.baseline, table.looks)
    found: list[dict[str, PairRatios]] = [{metric: {} for metric in metrics} for _ in rows]
    for (number, one, other), ratios in of_rows.ratios(pairs, lambda key, metric: (metric, key[0]), metrics).items():
        for metric, ratio in ratios.items():
            found[number][metric][one, other] = ratio
    return [Pairs(row, of_row) for row, of_row in zip(rows, found, strict=True)]


def _rows(cells: CountedCells) -> Iterable[CountedCells]:
    """Split a block that compares more than clients into rows of one scenario, shape and workload.

    If it compares several clients on several servers, also of one server.
    """
    rows: dict[tuple[str, str, str, str | None], dict[str, CountedCell]] = {}
    by_server = compares_places(cells)
    for cell_id, cell in cells.items():
        trial = cell.trial
        place = trial.scenario, trial.shape.model_dump_json(), trial.workload, trial.server if by_server else None
        rows.setdefault(place, {})[cell_id] = cell
    return rows.values()


RPS: Final = "rps"


class Standing(Message):
    """How a cell's throughput stands among the cells of its scenario, shape and workload that took turns with it."""

    place: PositiveCount
    """By estimate, from 1; a difference between two places is claimed only if `faster` says so."""
    faster: list[str]
    """Clients that are shown to be faster; if there are none, it is one of the fastest."""
    faster_of_language: list[str]
    """Those of the same language among them; if there are none, it is one of the language's fastest."""
    is_tied: bool
    """Whether it is one of several fastest: no difference between them is shown."""
    leader: str
    """The client with the highest estimate among the fastest."""
    ratio: Ratio | None
    """Ratio to the leader; null for the leader itself, and for a client that has no laps in common with it."""
    is_claimed: bool
    """Whether there are intervals at all: with one round nothing can be shown."""

    @property
    def is_fastest(self) -> bool:
        """Return whether no client is shown to be faster."""
        return not self.faster

    @property
    def is_fastest_of_language(self) -> bool:
        """Return whether no client of its language is shown to be faster."""
        return not self.faster_of_language


def standings_of(table: RatioTable) -> dict[str, Standing]:
    """Return the standing of each cell that was compared or is alone in its row.

    Cells with a rate have none: their throughput was asked for. Reference drivers have none: nobody can choose them.
    """
    closed = {
        name: {
            cell_id: cell
            for cell_id, cell in cells.items()
            if cell.trial.shape.rate is None and cell.trial.client.capabilities.is_library
        }
        for name, cells in table.blocks.items()
    }
    several = len({cell.trial.server for cells in table.blocks.values() for cell in cells.values()}) > 1
    subjects = {
        cell_id: on_server(cell.trial.client.name, cell.trial.server if several else None)
        for cells in closed.values()
        for cell_id, cell in cells.items()
    }
    rows = pairs_of(RatioTable(closed, looks=table.looks), (RPS,))
    return {cell_id: standing for row in rows for cell_id, standing in _standings(row, subjects)}


def _standings(row: Pairs, subjects: Mapping[str, str]) -> Iterator[tuple[str, Standing]]:
    pairs, trials = row.by_metric[RPS], {cell_id: cell.trial for cell_id, cell in row.cells.items()}
    compared = [cell_id for cell_id in trials if len(trials) == 1 or any(cell_id in pair for pair in pairs)]
    ratios = {one: {other: ratio for other in compared if (ratio := row.ratio(RPS, one, other))} for one in compared}
    means = {one: sum(log(ratio.value) for ratio in of.values()) / (len(of) + 1) for one, of in ratios.items()}
    order = sorted(compared, key=lambda one: -means[one])
    faster = {
        one: [other for other in order if (ratio := ratios[other].get(one)) and ratio.shown and ratio.value > 1]
        for one in order
    }
    fastest = [one for one in order if not faster[one]]
    for place, one in enumerate(order, start=1):
        # If laps are missing, pairs are of different laps, and claims may contradict each other in a circle.
        leader, language = (fastest or order)[0], trials[one].language
        yield (
            one,
            Standing(
                place=place,
                faster=[subjects[other] for other in faster[one]],
                faster_of_language=[subjects[other] for other in faster[one] if trials[other].language == language],
                is_tied=not faster[one] and len(fastest) > 1,
                leader=subjects[leader],
                ratio=ratios[one].get(leader),
                is_claimed=any(ratio.low is not None for ratio in pairs.values()),
            ),
        )
