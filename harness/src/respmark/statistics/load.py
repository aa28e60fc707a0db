"""The highest rates that keep to a goal, and latency below them, from the slices of searches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from respmark.contract.rate import goal_of
from respmark.results.records import Aim, Status, TrialRecord
from respmark.statistics.cells import CountedRun
from respmark.statistics.compare import UNKNOWN, Ratio, Series, prior_of, ratio_of, rounds_of, with_claims
from respmark.statistics.metric import known_median
from respmark.statistics.rounds import COUNTS

POINTS: Final = (Aim.HALF, Aim.SEVENTY, Aim.NINETY, Aim.COMMON)


@dataclass(frozen=True)
class Point:
    """Latency at one rate, from due to done: medians over slices of all rounds, in ms; None if none were measured."""

    p50_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True)
class Highest:
    """What the rounds of a cell found."""

    trial: TrialRecord
    """Its first one."""
    held: tuple[float, ...]
    """The highest rate that passed, by round, in commands per second; 0: none did."""
    failed: tuple[float, ...]
    """The lowest rate above it that failed, of the rounds in which one did."""
    points: Mapping[Aim, Point]
    common_rate: float | None
    p99_ratio: Ratio
    """At the common rate, to the first client of its block."""


def highest_rates(run: CountedRun) -> list[Highest]:
    """Return what was found of each cell whose highest rate was looked for, in the suite's order."""
    trials = {
        trial.cell_id: trial
        for trial in reversed(run.trials)
        if trial.status is Status.OK and goal_of(trial.shape.rate or "") is not None
    }
    if not trials:
        return []
    kept = run.slices.filter(COUNTS, pl.col("cell_id").is_in(list(trials)))
    parts = {str(cell_id): part for (cell_id,), part in kept.partition_by("cell_id", as_dict=True).items()}
    first: dict[str, str] = {}
    for cell_id in (one for one in run.cell_ids if one in parts):
        first.setdefault(trials[cell_id].block, cell_id)
    blocks = {cell_id: trials[cell_id].block for cell_id in run.cell_ids if cell_id in parts}
    ratios = {
        cell_id: _p99_ratio(parts[cell_id], parts[first[block]])
        for cell_id, block in blocks.items()
        if cell_id != first[block]
    }
    claimed = with_claims(ratios, blocks.__getitem__)
    return [_highest(trials[cell_id], parts[cell_id], claimed.get(cell_id, UNKNOWN)) for cell_id in blocks]


def _highest(trial: TrialRecord, slices: pl.DataFrame, p99_ratio: Ratio) -> Highest:
    held, failed = [], []
    for part in slices.partition_by("round", maintain_order=True):
        rate = known_median(part.filter(pl.col("aim") == str(Aim.SEVENTY))["rate_due"].to_list())
        held.append(0.0 if rate is None else rate / Aim.SEVENTY.share)
        above = pl.col("rate_due") > held[-1] * (1 + 1e-9)
        lowest = part.filter(above, pl.col("aim") == str(Aim.SEARCH))["rate_due"].min()
        failed += [float(lowest)] if isinstance(lowest, int | float) else []
    by_aim = {aim: slices.filter(pl.col("aim") == str(aim)) for aim in POINTS}
    return Highest(
        trial=trial,
        held=tuple(held),
        failed=tuple(failed),
        points={aim: Point(_ms(part, "p50_ns"), _ms(part, "p99_ns")) for aim, part in by_aim.items()},
        common_rate=known_median(by_aim[Aim.COMMON]["rate_due"].to_list()),
        p99_ratio=p99_ratio,
    )


def _ms(slices: pl.DataFrame, column: str) -> float | None:
    value = known_median(slices[column].to_list())
    return None if value is None else value / 1e6


def _p99_ratio(slices: pl.DataFrame, baseline: pl.DataFrame) -> Ratio:
    """Return the ratio of p99 at the common rate, by laps in which both kept it."""
    rounds = rounds_of(_series(slices), _series(baseline))
    return UNKNOWN if rounds is None else ratio_of(rounds, prior_of([rounds]))


def _series(slices: pl.DataFrame) -> Series:
    common = slices.filter(pl.col("aim") == str(Aim.COMMON), ~pl.col("is_saturated"), pl.col("p99_ns").is_not_null())
    ordered = common.sort("round", "lap").with_columns(one=pl.lit(1.0))
    return Series(ordered.select("round", "lap").to_numpy(), ordered.select("p99_ns", "one").to_numpy().astype(float))
