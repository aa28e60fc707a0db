"""What figures need of a kind of trial: what is kept of its records, what a round has, and which metrics follow."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from respmark.contract.trial import Scenario
from respmark.figures.metric import Compared, Figures, Metric
from respmark.histogram import Pairs
from respmark.results.read import Kept, ReadRun, keep
from respmark.results.records import TrialRecord


@dataclass(frozen=True, eq=False, kw_only=True)
class FigureKind:
    """A kind of trial: its records, and the figures that follow from them.

    `figures` defines its metrics, each in one place; all else that is said of them follows from their entries there.
    """

    scenarios: Collection[Scenario]
    record: type[TrialRecord]
    figures: type[Figures]
    main: str
    """The comparison that stands for all: its ratios rank clients, and a pair without it is not compared."""
    rounds: Callable[[ReadRun], pl.DataFrame]
    """Returns a row a trial that has figures: `trial_id`, `cell_id`, `round`, `lost` (slices of it that do not count),
    and what the metrics' `of_round` are made of."""
    turns: str = (
        "Versions took turns within a second, in fresh processes each round; the server's own counters confirmed every "
        "slice"
    )
    """How what is compared was measured."""
    kept: Callable[[Iterable[Any]], Kept] = keep
    """Returns what is kept of its records; by default, all of them as they are."""
    least: float = 0.05
    """The smallest difference that a search for its release is about, if nobody names one."""
    samples: Callable[[Mapping[str, Any], Pairs], object] = lambda _, samples: samples
    """Returns the samples of a cell, for metrics that are of all samples together, from the rounds of the cell (lists,
    by column) and what was kept of them."""
    bounded: Mapping[str, Callable[[Any], float | None]] = field(default_factory=dict)
    """Returns what a record says of a figure on which claims set bounds, by the metric; None: it says nothing."""
    bounded_metrics: Mapping[str, str] = field(default_factory=dict)
    """Metrics on whose value in a round claims set bounds, by the name that claims have for them."""

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """Return its metrics by their keys, in the order of JSON."""
        return {key: field.metadata[0] for key, field in self.figures.model_fields.items()}

    @cached_property
    def compared(self) -> Mapping[str, Compared]:
        """Return how metrics are compared, by the comparison's key."""
        return {one.compared.key: one.compared for one in self.metrics.values() if one.compared}

    @cached_property
    def metric_of(self) -> Mapping[str, str]:
        """Return the key of the metric that is compared, by the comparison's key."""
        return {one.compared.key: key for key, one in self.metrics.items() if one.compared}

    @property
    def in_series(self) -> tuple[str, ...]:
        """Return in what releases, and runs over time, are compared."""
        return tuple(key for key, one in self.compared.items() if one.in_series)

    @property
    def always(self) -> list[str]:
        """Return in what clients are compared whatever was asked of them."""
        return [key for key, one in self.compared.items() if one.of_clients and not one.only]

    def words(self, key: str) -> str:
        """Return a comparison as sentences have it: `throughput`, `client CPU per command`."""
        unit = self.metrics[self.metric_of[key]].unit
        return self.compared[key].noun + (" per command" if unit.endswith(" per command") else "")

    @property
    def of_clients(self) -> dict[str, str]:
        """Return in what charts and the page compare clients, with the names."""
        return {key: one.name for key, one in self.compared.items() if one.of_clients}

    def is_better(self, key: str, ratio: float) -> bool:
        """Return whether a ratio of a comparison is for the better."""
        return (ratio > 1) is not self.compared[key].is_cost

    def with_metrics(self, rounds: pl.DataFrame) -> pl.DataFrame:
        """Return rounds with a column for each metric's value in them."""
        values = {key: one.of_round for key, one in self.metrics.items() if one.of_round is not None}
        return rounds.with_columns(**values)

    def measured(self, run: ReadRun, rounds: pl.DataFrame) -> Mapping[str, Figures]:
        """Return the figures of each cell of a run that has rounds (`with_metrics`), by cell.

        A kind whose figures are of its records may override it.
        """
        found: dict[str, Figures] = {}
        for cell in rounds.group_by("cell_id").all().iter_rows(named=True):
            of_cell = self.samples(cell, run.latency.get(cell["cell_id"], ()))
            values = {key: of_cell if one.of_round is None else cell[key] for key, one in self.metrics.items()}
            found[cell["cell_id"]] = self.figures(
                **{key: one.over.combine(values[key]) for key, one in self.metrics.items()}
            )
        return found
