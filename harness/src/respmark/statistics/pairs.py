"""Compares every client of a row with every other: any of them can be the baseline, or be called the best."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from respmark.statistics.blocks import Blocks, CountedCell, CountedCells, ShownRatio, claimed, rounds_between
from respmark.statistics.compare import Prior, Rounds, confidence_of, prior_of, ratio_of
from respmark.statistics.measured import COMPARED

Pair = tuple[str, str]
"""Two cells; the ratio is of the first to the second."""
PairRatios = dict[Pair, ShownRatio]


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
    blocks: Blocks,
    baseline: str | None = None,
    looks: int = 1,
    metrics: Collection[str] = COMPARED,
) -> list[Pairs]:
    """Return the pairs of every row, in the order of the blocks and their cells.

    Ratios and intervals are those of `comparisons_of`: the prior is fitted to the comparisons with `baseline` (a
    client, by default the first of each row), not to all pairs, which repeat each other. What is shown is corrected for
    all pairs of a row and metric (Holm): looking at all of them, or picking the best one by its figures, amounts to
    that many comparisons.
    """
    rows = list(_rows(blocks.values()))
    confidence = confidence_of(looks)
    found = {metric: _metric(rows, metric, baseline, confidence) for metric in metrics}
    return [Pairs(tuple(row), {metric: found[metric][number] for metric in metrics}) for number, row in enumerate(rows)]


def _rows(blocks: Iterable[CountedCells]) -> Iterable[CountedCells]:
    """Split blocks that compare more than clients into rows of one scenario, shape and workload."""
    for cells in blocks:
        rows: dict[str, dict[str, CountedCell]] = {}
        for cell_id, cell in cells.items():
            place = f"{cell.scenario} {cell.shape.model_dump_json()} {cell.workload}"
            rows.setdefault(place, {})[cell_id] = cell
        yield from rows.values()


def _metric(rows: list[CountedCells], metric: str, baseline: str | None, confidence: float) -> list[PairRatios]:
    compared = [_compared(row, metric) for row in rows]
    prior = prior_of(
        rounds
        for row, pairs in zip(rows, compared, strict=True)
        if (chosen := _baseline(row, baseline)) is not None
        for pair, rounds in pairs.items()
        if chosen in pair
    )
    return [_claimed(pairs, prior, confidence) for pairs in compared]


def _baseline(row: CountedCells, client: str | None) -> str | None:
    return next((cell_id for cell_id, cell in row.items() if client in {None, cell.client.name}), None)


def _compared(row: CountedCells, metric: str) -> dict[Pair, Rounds]:
    return {
        (cell, other): rounds
        for other, cell in combinations(row, 2)
        if (rounds := rounds_between(row[cell], row[other], metric)) is not None
    }


def _claimed(pairs: Mapping[Pair, Rounds], prior: Prior, confidence: float) -> PairRatios:
    return claimed({pair: ratio_of(rounds, prior, confidence) for pair, rounds in pairs.items()}, confidence)


def _inverse(ratio: ShownRatio) -> ShownRatio:
    low, high = ratio.low, ratio.high
    return ShownRatio(
        value=1 / ratio.value,
        low=None if high is None else 1 / high,
        high=None if low is None else 1 / low,
        shown=ratio.shown,
    )
