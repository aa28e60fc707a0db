"""The highest rates that keep to a goal, and latency below them, from the slices of searches."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from respmark.contract.rate import goal_of
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.estimate import UNKNOWN, Ratio
from respmark.figures.metric import known_median
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.record import Aim, FoundRate, LoopRecord, SearchEnd
from respmark.kinds.loops.rounds import COUNTS
from respmark.kinds.loops.slices import loops_of
from respmark.results.records import Status

POINTS: Final = (Aim.HALF, Aim.SEVENTY, Aim.NINETY, Aim.COMMON)


@dataclass(frozen=True)
class LatencyAtRate:
    """Latency at one rate: medians over slices of all rounds, in ms; None if none were measured."""

    p50_ms: float | None
    """From due to done."""
    p99_ms: float | None
    lag_p50_ms: float | None
    """From due to begun, of the same slices: no percentile of a slice is longer than that from due to done."""
    lag_p99_ms: float | None


@dataclass(frozen=True)
class Highest:
    """What the rounds of a cell found."""

    trial: LoopRecord
    """Its first one."""
    subject: str
    """What tables call the client."""
    measured: LoopFigures | None
    """Its figures at 70 % of the rate that it found."""
    held: tuple[float, ...]
    """The highest rate that passed, by round, in commands per second; 0: none did."""
    failed: tuple[float, ...]
    """The lowest rate above it that failed, of the rounds in which one did."""
    ended: tuple[SearchEnd, ...]
    """Why each search ended."""
    points: Mapping[Aim, LatencyAtRate]
    common_rate: float | None
    p99_ratio: Ratio
    """At the common rate, to the baseline of its block."""


def highest_rates(run: RunFigures, cells: Sequence[Cell]) -> list[Highest]:
    """Return what was found of each cell whose highest rate was looked for, in the suite's order."""
    trials = {
        trial.cell_id: trial
        for trial in reversed(loops_of(run))
        if trial.status is Status.OK and goal_of(trial.shape.rate or "") is not None
    }
    if not trials:
        return []
    found: defaultdict[str, list[FoundRate]] = defaultdict(list)
    for trial in loops_of(run):
        if trial.found is not None and trial.status is Status.OK:
            found[trial.cell_id].append(trial.found)
    kept = run.slices.filter(COUNTS, pl.col("cell_id").is_in(list(trials)))
    parts = {str(cell_id): part for (cell_id,), part in kept.partition_by("cell_id", as_dict=True).items()}
    return [
        _highest(cell, trials[cell.cell_id], found[cell.cell_id], parts[cell.cell_id])
        for cell in cells
        if cell.cell_id in parts
    ]


def _highest(cell: Cell, trial: LoopRecord, found: Sequence[FoundRate], slices: pl.DataFrame) -> Highest:
    by_aim = {aim: slices.filter(pl.col("aim") == str(aim)) for aim in POINTS}
    return Highest(
        trial=trial,
        subject=cell.subject,
        measured=cell.measured,
        ended=tuple(one.ended for one in found),
        held=tuple(one.held or 0.0 for one in found),
        failed=tuple(one.failed for one in found if one.failed is not None),
        points={aim: _point(part) for aim, part in by_aim.items()},
        common_rate=known_median(by_aim[Aim.COMMON]["rate_due"].to_list()),
        p99_ratio=cell.comparison.ratio("p99") if cell.comparison else UNKNOWN,
    )


def _point(slices: pl.DataFrame) -> LatencyAtRate:
    p50_ms, p99_ms, lag_p50_ms, lag_p99_ms = (
        _ms(slices, name) for name in ("p50_ns", "p99_ns", "lag_p50_ns", "lag_p99_ns")
    )
    return LatencyAtRate(p50_ms, p99_ms, lag_p50_ms, lag_p99_ms)


def _ms(slices: pl.DataFrame, column: str) -> float | None:
    value = known_median(slices[column].to_list())
    return None if value is None else value / 1e6
