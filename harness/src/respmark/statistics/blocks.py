"""Compares the cells of each block of a run with its baseline."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from respmark.contract.base import Message
from respmark.records import SliceRecord, Status, TrialRecord
from respmark.results.version1 import TrialRecord1
from respmark.statistics.compare import (
    CONFIDENCE,
    Key,
    Part,
    Prior,
    Ratio,
    Rounds,
    confidence_of,
    prior_of,
    ratio_of,
    rounds_of,
    with_claims,
)
from respmark.statistics.figures import client_cost_ns, server_cost_ns, throughput

BySlice = Callable[[Sequence[SliceRecord]], list[Part]]

METRICS: Final[dict[str, BySlice]] = {
    "rps": throughput,
    "client_cpu": client_cost_ns,
    "server_cpu": server_cost_ns,
}
"""What is compared: commands a second, client CPU per command, server CPU per command."""


class ShownRatio(Message):
    """A ratio to the baseline, with its 95 % interval."""

    value: float
    low: float | None
    """Null: too few rounds for an interval."""
    high: float | None
    shown: bool
    """Whether a difference is shown, corrected for the other comparisons of the block (Holm)."""

    @property
    def half_width(self) -> float | None:
        """Return half of the interval's width, as a part of the ratio; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2 / self.value


class Comparison(Message):
    """A cell against the baseline of its block."""

    baseline: str
    """The baseline's cell."""
    baseline_client: str
    rps: ShownRatio
    client_cpu: ShownRatio
    server_cpu: ShownRatio


Records = Mapping[str, Sequence[TrialRecord]]
"""The records of each cell that count, by cell."""


def comparisons_of(
    records: Iterable[TrialRecord | TrialRecord1], baseline: str | None = None, looks: int = 1
) -> dict[str, Comparison]:
    """Return the comparison of every cell that has one, by cell.

    `baseline` is a client, else a block's first is it. A run that looked at its own figures to decide whether to go on
    has as many `looks` as it was allowed: intervals are wider for it.
    """
    blocks = blocks_of(records)
    pairs = _pairs(blocks, baseline)
    confidence = confidence_of(looks)
    found = {metric: _compared(pairs, by_slice, confidence) for metric, by_slice in METRICS.items()}
    return {
        cell_id: Comparison(
            baseline=baseline_id,
            baseline_client=cells[baseline_id][0].client.name,
            **{metric: found[metric][cell_id] for metric in METRICS},
        )
        for cell_id, (baseline_id, cells) in pairs.items()
        if all(cell_id in ratios for ratios in found.values())
    }


def _pairs(blocks: Mapping[str, Records], baseline: str | None) -> dict[str, tuple[str, Records]]:
    """Return what is compared: by cell the baseline of its block, and the block."""
    return {
        cell_id: (baseline_id, cells)
        for cells in blocks.values()
        if (baseline_id := _baseline(cells, baseline)) is not None
        for cell_id in cells
        if cell_id != baseline_id
    }


def prior_of_run(blocks: Mapping[str, Records], metric: str) -> Prior:
    """Return what the variances of a run's comparisons with their baselines have in common."""
    return prior_of(_rounds(_pairs(blocks, None), METRICS[metric]).values())


def rounds_between(cell: Sequence[TrialRecord], against: Sequence[TrialRecord], metric: str) -> Rounds | None:
    """Return the comparison of two cells of the same block; None where they have no lap in common."""
    by_slice = METRICS[metric]
    return rounds_of(series_of(cell, by_slice), series_of(against, by_slice))


def blocks_of(records: Iterable[TrialRecord | TrialRecord1]) -> dict[str, dict[str, list[TrialRecord]]]:
    """Return what counts by block and cell; a cell whose first round failed keeps its place."""
    blocks: defaultdict[str, dict[str, list[TrialRecord]]] = defaultdict(dict)
    for record in records:
        if isinstance(record, TrialRecord):
            counted = blocks[record.block].setdefault(record.cell_id, [])
            if record.status is Status.OK and record.counted_slices:
                counted.append(record)
    return {
        block: {cell_id: counted for cell_id, counted in cells.items() if counted} for block, cells in blocks.items()
    }


def _baseline(cells: Records, client: str | None) -> str | None:
    if client is None:
        return next(iter(cells), None)
    return next((cell_id for cell_id, records in cells.items() if records[0].client.name == client), None)


def _compared(pairs: Mapping[str, tuple[str, Records]], by_slice: BySlice, confidence: float) -> dict[str, ShownRatio]:
    rounds = _rounds(pairs, by_slice)
    prior = prior_of(rounds.values())
    families: defaultdict[str, dict[str, Ratio]] = defaultdict(dict)
    for cell_id, one in rounds.items():
        families[pairs[cell_id][0]][cell_id] = ratio_of(one, prior, confidence)
    return {cell_id: ratio for family in families.values() for cell_id, ratio in claimed(family, confidence).items()}


def _rounds(pairs: Mapping[str, tuple[str, Records]], by_slice: BySlice) -> dict[str, Rounds]:
    return {
        cell_id: both
        for cell_id, (baseline_id, cells) in pairs.items()
        if (both := rounds_of(series_of(cells[cell_id], by_slice), series_of(cells[baseline_id], by_slice))) is not None
    }


def claimed(family: Mapping[Key, Ratio], confidence: float = CONFIDENCE) -> dict[Key, ShownRatio]:
    """Return the ratios of a family (Holm), each with whether it shows a difference."""
    ratios = zip(family, with_claims(list(family.values()), confidence), strict=True)
    return {key: ShownRatio(value=one.value, low=one.low, high=one.high, shown=one.shown) for key, one in ratios}


def series_of(records: Sequence[TrialRecord], by_slice: BySlice) -> dict[tuple[int, int], Part]:
    """Return what each counted slice gives to a figure, by round and lap."""
    return {
        (record.round, one.lap): part
        for record in records
        for one, part in zip(record.counted_slices, by_slice(record.counted_slices), strict=True)
    }
