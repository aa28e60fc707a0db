"""The table of ratios: a cell's figure divided by that of another that took turns with it.

Everything that compares cells of a run reads it: the answer and the tables, rankings, versions, `compare`, claims and
`--until`. They name pairs, and which of their ratios are corrected for each other (the family). Ratios, intervals and
p-values before that correction are the same for all of them.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cached_property
from typing import Any

from pydantic import ConfigDict

from respmark.contract.base import Message
from respmark.figures.blocks import CountedCell, CountedCells
from respmark.figures.compare import (
    UNKNOWN,
    Estimate,
    Prior,
    Ratio,
    Rounds,
    confidence_of,
    estimate_of,
    prior_of,
    ratio_of,
    rounds_of,
    with_claims,
)
from respmark.figures.families import Key
from respmark.figures.measured import COMPARED

Pair = tuple[CountedCell, CountedCell]
"""The ratio is of the first to the second."""
Surroundings = tuple[str, str | None, float | None]
"""Where a cell was measured: workload, server and round trip."""


class Ratios(Message):
    """One cell's figures divided by another's: a ratio for each compared metric, in JSON under the metric's key."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Ratio]

    def ratio(self, metric: str) -> Ratio:
        """Return the ratio of one metric, by its key; it is not known if one of the cells lacks it."""
        return self.__pydantic_extra__.get(metric, UNKNOWN)


class RatioTable:
    """The ratios of a run's cells; each is computed when it is first asked for."""

    def __init__(self, blocks: Mapping[Any, CountedCells], baseline: str | None = None, looks: int = 1) -> None:
        """Take the cells of a run.

        Args:
            blocks: The cells, by block, or by what else it is in which they are compared.
            baseline: The client that the others are compared with; default: the first of each block.
            looks: How often the run was allowed to look at its own figures to decide whether to go on: more looks make
                intervals wider.
        """
        self.blocks, self.baseline, self.looks = blocks, baseline, looks
        self._rounds: dict[tuple[CountedCell, CountedCell, str], Rounds | None] = {}
        self._priors: dict[str, Prior] = {}

    @cached_property
    def with_baselines(self) -> dict[str, Pair]:
        """Return each cell that is compared with a baseline, and that baseline, by the cell's ID."""
        return {
            cell_id: (cell, baseline)
            for cells in self.blocks.values()
            for cell_id, cell in cells.items()
            if (baseline := baseline_of(cell, cells, self.baseline)) is not None and cell is not baseline
        }

    def rounds(self, pair: Pair, metric: str) -> Rounds | None:
        """Return what rounds say about two cells; None if they cannot differ, or no common lap has the metric."""
        key = (*pair, metric)
        if key not in self._rounds:
            one, other = (None if _is_same(pair, metric) else cell.series.get(metric) for cell in pair)
            self._rounds[key] = None if one is None or other is None else rounds_of(one, other)
        return self._rounds[key]

    def prior(self, metric: str) -> Prior:
        """Return what the variances of the run's comparisons with their baselines have in common.

        All pairs of a block would repeat each other; those with the baseline do not.
        """
        if metric not in self._priors:
            found = (self.rounds(pair, metric) for pair in self.with_baselines.values())
            self._priors[metric] = prior_of(one for one in found if one is not None)
        return self._priors[metric]

    def estimate(self, pair: Pair, metric: str) -> Estimate | None:
        """Return the estimate of a ratio; None if there are too few rounds to know its error, or none."""
        rounds = self.rounds(pair, metric)
        return None if rounds is None else estimate_of(rounds, self.prior(metric))

    def ratios(
        self,
        pairs: Mapping[Key, Pair],
        family: Callable[[Key, str], Hashable],
        metrics: Collection[str] = COMPARED,
    ) -> dict[Key, dict[str, Ratio]]:
        """Return the ratios of each pair by metric, without those of pairs that have no lap in common.

        `family` returns what the ratios that are corrected for each other (Holm) have in common.
        """
        confidence = confidence_of(self.looks)
        found = {
            (key, metric): ratio_of(rounds, self.prior(metric), confidence)
            for metric in metrics
            for key, pair in pairs.items()
            if (rounds := self.rounds(pair, metric)) is not None
        }
        ratios: dict[Key, dict[str, Ratio]] = {key: {} for key in pairs}
        for (key, metric), ratio in with_claims(found, lambda one: family(*one), confidence).items():
            ratios[key][metric] = ratio
        return ratios


def _is_same(pair: Pair, metric: str) -> bool:
    """Return whether two cells cannot differ in a metric."""
    one, other = (cell.trial for cell in pair)
    return COMPARED[metric][1].of_place and (one.workload, one.server) == (other.workload, other.server)


def surroundings_of(cell: CountedCell) -> Surroundings:
    """Return where a cell was measured."""
    return cell.trial.workload, cell.trial.server, cell.trial.shape.rtt_ms


def compares_places(cells: CountedCells) -> bool:
    """Return whether a block compares several clients, and each of them in several places."""
    clients = {cell.trial.client.name for cell in cells.values()}
    return len(clients) > 1 and len(set(map(surroundings_of, cells.values()))) > 1


def baseline_of(cell: CountedCell, cells: CountedCells, client: str | None) -> CountedCell | None:
    """Return what a cell of a block is compared with: the cell of a client, by default of the block's first.

    In a block that compares several clients in several places, that client's cell in the same place.
    """
    if not compares_places(cells):
        return next((one for one in cells.values() if client in {None, one.trial.client.name}), None)
    name = client or next(iter(cells.values())).trial.client.name
    return next(
        (
            one
            for one in cells.values()
            if one.trial.client.name == name and surroundings_of(one) == surroundings_of(cell)
        ),
        None,
    )


def first_place_of(cell: CountedCell, cells: CountedCells) -> CountedCell:
    """Return the same client's cell in its first place of the block, in the same scenario and shape."""
    return next(one for one in cells.values() if _use_of(one) == _use_of(cell))


def _use_of(cell: CountedCell) -> tuple[object, ...]:
    trial = cell.trial
    return trial.client.name, trial.scenario, trial.shape.direct
