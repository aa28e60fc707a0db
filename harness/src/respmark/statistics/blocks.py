"""Compares the cells of each block of a run with the block's baseline."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import ConfigDict, model_validator

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.results.records import Status, TrialRecord
from respmark.results.version1 import Record
from respmark.specs.client import Client
from respmark.statistics.compare import (
    CONFIDENCE,
    Key,
    Prior,
    Ratio,
    Rounds,
    Series,
    confidence_of,
    prior_of,
    ratio_of,
    rounds_of,
    with_claims,
)
from respmark.statistics.counted import SliceFigures, counted_slices
from respmark.statistics.measured import COMPARED


class ShownRatio(Message):
    """A ratio to the baseline, with its 95 % interval."""

    value: float
    low: float | None
    """Null if there are too few rounds for an interval."""
    high: float | None
    shown: bool
    """Whether a difference is shown, corrected for the other comparisons of the block (Holm)."""

    @property
    def half_width(self) -> float | None:
        """Return half the interval's width, as a fraction of the ratio; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2 / self.value


class Ratios(Message):
    """One cell's figures divided by another's: a ratio for each compared metric, in JSON under the metric's key."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, ShownRatio]

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        if self.__pydantic_extra__.keys() != COMPARED.keys():
            message = f"ratios are of {', '.join(COMPARED)}, not of {', '.join(self.__pydantic_extra__) or 'nothing'}"
            raise ValueError(message)
        return self

    def ratio(self, metric: str) -> ShownRatio:
        """Return the ratio of one metric, by its key."""
        return self.__pydantic_extra__[metric]


class Comparison(Ratios):
    """A cell compared with the baseline of its block."""

    baseline: str
    """ID of the baseline's cell."""
    baseline_client: str
    baseline_workload: str
    """Name of the baseline's workload: a block may compare workloads."""


@dataclass(frozen=True, eq=False)
class CountedCell:
    """What comparisons need of a cell: what it is of, and its slices that count; there is at least one."""

    client: Client
    library_version: str
    """The version that was loaded; empty if the results name none."""
    language: str
    scenario: Scenario
    shape: Shape
    workload: str
    series: Mapping[str, Series]
    """Its slices, by metric."""


CountedCells = Mapping[str, CountedCell]
"""The cells of a block that have slices that count, by ID."""
Blocks = Mapping[str, CountedCells]
"""The cells of a run that have slices that count, by block."""


def comparisons_of(blocks: Blocks, baseline: str | None = None, looks: int = 1) -> dict[str, Comparison]:
    """Return the comparisons of all cells that have one, by cell.

    `baseline` is a client, by default each block's first. `looks` is how often the run was allowed to look at its own
    figures to decide whether to go on: more looks make intervals wider.
    """
    pairs = _pairs(blocks, baseline)
    confidence = confidence_of(looks)
    found = {metric: _compared(pairs, metric, confidence) for metric in COMPARED}
    return {
        cell_id: Comparison(
            baseline=baseline_id,
            baseline_client=cells[baseline_id].client.name,
            baseline_workload=cells[baseline_id].workload,
            **{metric: found[metric][cell_id] for metric in COMPARED},
        )
        for cell_id, (baseline_id, cells) in pairs.items()
        if all(cell_id in ratios for ratios in found.values())
    }


def _pairs(blocks: Blocks, baseline: str | None) -> dict[str, tuple[str, CountedCells]]:
    """Return the comparisons to make: for each cell, the baseline of its block and the block's cells."""
    return {
        cell_id: (baseline_id, cells)
        for cells in blocks.values()
        if (baseline_id := _baseline(cells, baseline)) is not None
        for cell_id in cells
        if cell_id != baseline_id
    }


def prior_of_run(blocks: Blocks, metric: str) -> Prior:
    """Return the prior fitted to the variances of a run's comparisons with their baselines."""
    return prior_of(_rounds(_pairs(blocks, None), metric).values())


def rounds_between(cell: CountedCell, against: CountedCell, metric: str) -> Rounds | None:
    """Return the comparison of two cells of the same block; None if they have no lap in common."""
    return rounds_of(cell.series[metric], against.series[metric])


def blocks_of(records: Iterable[Record]) -> Blocks:
    """Return the cells that have slices that count, by block; a cell whose first round failed keeps its place."""
    blocks: defaultdict[str, dict[str, list[TrialRecord]]] = defaultdict(dict)
    for record in records:
        if isinstance(record, TrialRecord):
            counted = blocks[record.block].setdefault(record.cell_id, [])
            if record.status is Status.OK and counted_slices(record) is not None:
                counted.append(record)
    return {
        block: {cell_id: _counted_cell(counted) for cell_id, counted in cells.items() if counted}
        for block, cells in blocks.items()
    }


def merged(parts: Iterable[Blocks]) -> Blocks:
    """Return blocks that are known in parts, each with the cells of all parts in their order."""
    blocks: defaultdict[str, dict[str, CountedCell]] = defaultdict(dict)
    for part in parts:
        for block, cells in part.items():
            blocks[block].update(cells)
    return dict(blocks)


def _counted_cell(records: Sequence[TrialRecord]) -> CountedCell:
    """Return the cell of these records, each of which has slices that count."""
    first = records[0]
    versions = (result.versions.get(first.client.library) for record in records for result in record.results)
    return CountedCell(
        client=first.client,
        library_version=next(filter(None, versions), ""),
        language=first.language,
        scenario=first.scenario,
        shape=first.shape,
        workload=first.workload,
        series=_series(records),
    )


def _series(records: Sequence[TrialRecord]) -> dict[str, Series]:
    counted = [(record.round, found) for record in records if (found := counted_slices(record)) is not None]
    places = np.concatenate([np.stack([np.full_like(found.laps, number), found.laps], 1) for number, found in counted])
    figures = SliceFigures.joined([found.figures for _, found in counted])
    return Series.by_metric(places, {key: compared.parts(figures) for key, (_, compared) in COMPARED.items()})


def _baseline(cells: CountedCells, client: str | None) -> str | None:
    if client is None:
        return next(iter(cells), None)
    return next((cell_id for cell_id, cell in cells.items() if cell.client.name == client), None)


def _compared(pairs: Mapping[str, tuple[str, CountedCells]], metric: str, confidence: float) -> dict[str, ShownRatio]:
    rounds = _rounds(pairs, metric)
    prior = prior_of(rounds.values())
    families: defaultdict[str, dict[str, Ratio]] = defaultdict(dict)
    for cell_id, one in rounds.items():
        families[pairs[cell_id][0]][cell_id] = ratio_of(one, prior, confidence)
    return {cell_id: ratio for family in families.values() for cell_id, ratio in claimed(family, confidence).items()}


def _rounds(pairs: Mapping[str, tuple[str, CountedCells]], metric: str) -> dict[str, Rounds]:
    return {
        cell_id: both
        for cell_id, (baseline_id, cells) in pairs.items()
        if (both := rounds_between(cells[cell_id], cells[baseline_id], metric)) is not None
    }


def claimed(family: Mapping[Key, Ratio], confidence: float = CONFIDENCE) -> dict[Key, ShownRatio]:
    """Return the ratios of a family, each with whether it shows a difference after Holm's correction."""
    ratios = zip(family, with_claims(list(family.values()), confidence), strict=True)
    return {key: ShownRatio(value=one.value, low=one.low, high=one.high, shown=one.shown) for key, one in ratios}
