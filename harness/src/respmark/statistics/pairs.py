"""Compares every client of a row with every other: any of them can be the baseline, or be called the best."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from respmark.statistics.blocks import (
    Blocks,
    CountedCell,
    CountedCells,
    ShownRatio,
    baseline_of,
    ratios_of,
    rounds_of_pairs,
)
from respmark.statistics.compare import prior_of
from respmark.statistics.measured import COMPARED

PairRatios = dict[tuple[str, str], ShownRatio]
"""By two cells; the ratio is of the first to the second."""


@dataclass(frozen=True)
class Pairs:
    """The ratios of all pairs of one row: cells of the same block, scenario, shape and workload."""

    cells: tuple[str, ...]
    by_metric: Mapping[str, PairRatios]

    def ratio(self, metric: str, cell: str, baseline: str) -> ShownRatio | None:
        """Return the ratio of a cell to another; None if they have no lap in common."""
        ratios = self.by_metric[metric]
        if (found := ratios.get((cell, baseline))) is not None:
            return found
        turned = ratios.get((baseline, cell))
        return None if turned is None else _inverse(turned)


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
    found: list[dict[str, PairRatios]] = [{} for _ in rows]
    for metric in metrics:
        for number, ratios in enumerate(_of_metric(rows, metric, baseline, looks)):
            found[number][metric] = ratios
    return [Pairs(tuple(row), ratios) for row, ratios in zip(rows, found, strict=True)]


def _rows(cells: CountedCells) -> Iterable[CountedCells]:
    """Split a block that compares more than clients into rows of one scenario, shape and workload."""
    rows: dict[tuple[str, str, str], dict[str, CountedCell]] = {}
    for cell_id, cell in cells.items():
        place = cell.trial.scenario, cell.trial.shape.model_dump_json(), cell.trial.workload
        rows.setdefault(place, {})[cell_id] = cell
    return rows.values()


def _of_metric(rows: list[CountedCells], metric: str, client: str | None, looks: int) -> list[PairRatios]:
    pairs = {
        (number, one, other): (row[one], row[other])
        for number, row in enumerate(rows)
        for other, one in combinations(row, 2)
    }
    baselines = [baseline_of(row, client) for row in rows]
    rounds = rounds_of_pairs(pairs, metric)
    prior = prior_of(found for key, found in rounds.items() if baselines[key[0]] in pairs[key])
    ratios = ratios_of(rounds, prior, looks, lambda key: key[0])
    of_rows: list[PairRatios] = [{} for _ in rows]
    for (number, one, other), ratio in ratios.items():
        of_rows[number][one, other] = ratio
    return of_rows


def _inverse(ratio: ShownRatio) -> ShownRatio:
    low, high = ratio.low, ratio.high
    return ShownRatio(
        value=1 / ratio.value,
        low=None if high is None else 1 / high,
        high=None if low is None else 1 / low,
        shown=ratio.shown,
    )
