"""Which clients of a scenario, shape and workload are the best: all pairs that took turns are one family.

No client is picked by its figure and compared afterwards: the best are those that no other is shown to be better
than, with claims corrected for all pairs together (Holm). The answer is therefore the same for every baseline, and if
no difference is shown between several clients, none of them is called the best.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Final

from respmark.contract.base import Message, PositiveCount
from respmark.results.records import TrialRecord
from respmark.statistics.blocks import Blocks, CountedCell, CountedCells, baseline_of, ratios_of
from respmark.statistics.compare import Prior, Ratio, Rounds, prior_of
from respmark.statistics.measured import COMPARED

PairRatios = dict[tuple[str, str], Ratio]
"""By two cells; the ratio is of the first to the second."""


@dataclass(frozen=True)
class Pairs:
    """The ratios of all pairs of one row: cells of the same block, scenario, shape and workload."""

    cells: tuple[str, ...]
    by_metric: Mapping[str, PairRatios]

    def ratio(self, metric: str, cell: str, baseline: str) -> Ratio | None:
        """Return the ratio of a cell to another; None if they have no lap in common."""
        ratios = self.by_metric[metric]
        turned = ratios.get((baseline, cell))
        return ratios.get((cell, baseline)) or (turned and turned.inverse)


def pairs_of(
    blocks: Blocks, baseline: str | None = None, looks: int = 1, metrics: Collection[str] = COMPARED
) -> list[Pairs]:
    """Return the pairs of every row, in the order of the blocks and their cells.

    Ratios and intervals are those of `comparisons_of`: the prior is fitted to the comparisons with `baseline` (a
    client, by default the first of each row), not to all pairs, which repeat each other. What is shown is corrected for
    all pairs of a row and metric (Holm): looking at all of them, or picking the best one by its figures, amounts to
    that many comparisons.
    """
    rows = [row for cells in blocks.values() for row in _rows(cells)]
    baselines = [baseline_of(row, baseline) for row in rows]
    pairs = {
        (number, one, other): (row[one], row[other])
        for number, row in enumerate(rows)
        for other, one in combinations(row, 2)
    }

    def prior(_: str, rounds: Mapping[tuple[int, str, str], Rounds]) -> Prior:
        return prior_of(found for key, found in rounds.items() if baselines[key[0]] in pairs[key])

    found: list[dict[str, PairRatios]] = [{metric: {} for metric in metrics} for _ in rows]
    ratios = ratios_of(pairs, looks, prior, lambda key, metric: (metric, key[0]), metrics)
    for (number, one, other), by_metric in ratios.items():
        for metric, ratio in by_metric.items():
            found[number][metric][one, other] = ratio
    return [Pairs(tuple(row), of_row) for row, of_row in zip(rows, found, strict=True)]


def _rows(cells: CountedCells) -> Iterable[CountedCells]:
    """Split a block that compares more than clients into rows of one scenario, shape and workload."""
    rows: dict[tuple[str, str, str], dict[str, CountedCell]] = {}
    for cell_id, cell in cells.items():
        place = cell.trial.scenario, cell.trial.shape.model_dump_json(), cell.trial.workload
        rows.setdefault(place, {})[cell_id] = cell
    return rows.values()


RPS: Final = "rps"


@dataclass(frozen=True)
class Ranking:
    """The cells of a row that were compared, or the only one, by one metric."""

    order: tuple[str, ...]
    """Their IDs, the best estimate first."""
    better: Mapping[str, tuple[str, ...]]
    """For each, those that are shown to be better."""

    @property
    def best(self) -> tuple[str, ...]:
        """Return those that no other is shown to surpass; the first of them leads."""
        # If laps are missing, pairs are of different laps, and claims may contradict each other in a circle.
        return tuple(cell_id for cell_id in self.order if not self.better[cell_id]) or self.order


def ranking_of(row: Pairs, metric: str) -> Ranking:
    """Return the ranking of a row's cells by one metric."""
    ratios, sign = row.by_metric[metric], 1 if COMPARED[metric][1].is_cost else -1
    compared = [cell_id for cell_id in row.cells if len(row.cells) == 1 or any(cell_id in pair for pair in ratios)]

    def estimate(cell_id: str) -> float:
        """Return the mean logarithm of a cell's ratios to all cells."""
        known = [log(ratio.value) for other in row.cells if (ratio := row.ratio(metric, cell_id, other))]
        return sign * sum(known) / (len(known) + 1)

    def is_better(other: str, cell_id: str) -> bool:
        ratio = row.ratio(metric, other, cell_id)
        return ratio is not None and ratio.shown and sign * log(ratio.value) < 0

    order = tuple(sorted(compared, key=estimate))
    return Ranking(order, {one: tuple(other for other in order if is_better(other, one)) for one in order})


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


def standings_of(blocks: Blocks, looks: int = 1) -> dict[str, Standing]:
    """Return the standing of each cell that was compared or is alone in its row; `looks` is as in `comparisons_of`.

    Reference drivers have none: they are no clients that anybody could choose.
    """
    blocks = {
        name: {cell_id: cell for cell_id, cell in cells.items() if not cell.trial.client.is_driver}
        for name, cells in blocks.items()
    }
    trials = {cell_id: cell.trial for cells in blocks.values() for cell_id, cell in cells.items()}
    rows = pairs_of(blocks, looks=looks, metrics=(RPS,))
    return {cell_id: standing for row in rows for cell_id, standing in _standings(row, trials).items()}


def _standings(row: Pairs, trials: Mapping[str, TrialRecord]) -> dict[str, Standing]:
    ranking = ranking_of(row, RPS)
    leader = next(iter(ranking.best), "")
    return {
        cell_id: Standing(
            place=place,
            faster=[other.client.name for other in faster],
            faster_of_language=[other.client.name for other in faster if other.language == trials[cell_id].language],
            is_tied=not faster and sum(not others for others in ranking.better.values()) > 1,
            leader=trials[leader].client.name,
            ratio=row.ratio(RPS, cell_id, leader),
            is_claimed=any(ratio.low is not None for ratio in row.by_metric[RPS].values()),
        )
        for place, cell_id in enumerate(ranking.order, start=1)
        for faster in [[trials[other] for other in ranking.better[cell_id]]]
    }
