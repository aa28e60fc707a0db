"""Rounds as a table: what the slices that count of each trial add up to. Every figure follows from it."""

from typing import Any, Final

import polars as pl

from respmark.kinds.loops.record import Aim, WarmUp
from respmark.kinds.loops.slices import SEVERAL, loops_of
from respmark.results.read import ReadRun
from respmark.results.records import Status
from respmark.specs.scenario import sample_covers

WHOLE: Final = (
    *("operations", "units", "commands", "elapsed_ns", "lasted_ns", "evidence_ns", "client_cpu_ns"),
    *("slice_cpu_ns", "server_cpu_ns", "server_commands", "connections_received", "waited_ns", "waiting_cpu_ns"),
)
"""What every slice has."""
KNOWN: Final = (
    *("client_ns", "due", "unstarted", "elements", "element_wait_ns"),
    *("kernel_cpu_ns", "client_thread_ns", "server_thread_ns", "other_cpu_ns", "stolen_cpu_ns", "input_bytes"),
    *("split_calls", "redirects", "asks", "askings", "moved_slots", "stale_reads", "writes"),
    *("outside_ns", "together_ns", "hits", "misses", "local_reads", "local_misses", "local_invalidations"),
)
"""Summed only if no slice of the trial lacks it."""
OF_TRIAL: Final[dict[str, Any]] = {
    **dict.fromkeys(("trial_id", "cell_id", "sample_covers"), pl.String),
    **dict.fromkeys(("round", "processes", "peak_memory_bytes", "max_ns", "unended_ns"), pl.Int64),
    **dict.fromkeys(("service", "lag"), pl.List(pl.List(pl.Int64))),
    "warmup_s": pl.Float64,
    "is_steady": pl.Boolean,
    "is_apart": pl.Boolean,
}

COUNTS: Final = (pl.col("status") == str(Status.OK)) & pl.col("reason").is_null() & ~pl.col("is_repeated")
"""Which slices count."""


def counted(run: ReadRun) -> pl.LazyFrame:
    """Return the slices that count, not computed yet.

    Each has the client's CPU since its slice before as `client_ns`, and `memory_bytes_per_key` of its trial. In an open
    loop, whose runner reads the clock until a unit is due, `client_ns` is null, unless it sleeps instead. Where the
    highest rate was looked for, those at 70 % of it count.
    """
    return (
        run.slices.lazy()
        .filter(COUNTS, pl.col("aim").is_null() | (pl.col("aim") == str(Aim.SEVENTY)))
        .join(_memory(run), on="trial_id", how="left", maintain_order="left")
        .with_columns(
            client_ns=pl.when(pl.col("rate_due").is_null() | (pl.col("awake_ns") == 0)).then(
                pl.col("slice_cpu_ns") + pl.col("waiting_cpu_ns")
            ),
            one=pl.lit(1.0),
        )
    )


def _memory(run: ReadRun) -> pl.LazyFrame:
    """Return the server's memory for a key of each trial's workload."""
    known = {one.trial_id: one.memory_bytes_per_key for one in run.trials}
    columns = {"trial_id": list(known), "memory_bytes_per_key": list(known.values())}
    return pl.LazyFrame(columns, schema={"trial_id": pl.String, "memory_bytes_per_key": pl.Float64})


def responses(run: ReadRun) -> pl.LazyFrame:
    """Return the slices whose latencies can be compared: of open loops, unless the rate was too high.

    Where the highest rate was looked for, those at the rate that all clients had.
    """
    return (
        run.slices.lazy()
        .filter(COUNTS, pl.col("aim").is_null() | (pl.col("aim") == str(Aim.COMMON)))
        .filter(pl.col("rate_due").is_not_null(), ~pl.col("is_saturated"))
        .with_columns(one=pl.lit(1.0))
    )


def rounds_of(run: ReadRun) -> pl.DataFrame:
    """Return a row for each trial with slices that count: sums over these by the names of `SliceRecord`, and its own.

    `service` and `lag` are histograms, pairs of ns and count; `cpus` are the machine's, `reads` those of the slices for
    which they are known; `connections_open` is of the first slice.
    """
    lost = pl.col("reason").is_not_null() & ~pl.col("is_repeated")
    others = run.slices.group_by("trial_id").agg(lost=lost.sum(), repeated=pl.col("is_repeated").sum())
    rate, half = pl.col("operations") / pl.col("elapsed_ns"), pl.len() // 2
    earlier, later = rate.head(half).median(), rate.tail(half).median()
    sums = (
        counted(run)
        .group_by("trial_id")
        .agg(
            pl.col(WHOLE).sum(),
            *(pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()) for name in KNOWN),
            pl.col("reads").sum(),
            pl.col("connections_open", "memory_bytes_per_key").first(),
            pl.col(SEVERAL).drop_nulls(),
            pl.col("backlog").max(),
            pl.col("rate_due").mean(),
            cpus=pl.lit(run.manifest.machine.cpus),
            saturated=pl.when(pl.col("is_saturated").is_not_null().all()).then(pl.col("is_saturated").sum()),
            slices=pl.len(),
            drift_percent=pl.when(earlier > 0).then((later / earlier - 1) * 100),
        )
        .collect()
    )
    trials = [
        (
            *(one.trial_id, one.cell_id, str(sample_covers(one.scenario, one.shape))),
            *(one.round, one.shape.processes, one.peak_memory_bytes, one.latency.max_ns if one.latency else None),
            one.latency.unended_from_ns if one.latency else None,
            *(kept and [list(pair) for pair in kept.histogram] for kept in (one.service, one.lag)),
            *(_warmed_up(one.warm_up) if one.warm_up else (None, True, False)),
        )
        for one in loops_of(run)
    ]
    rounds = pl.DataFrame(trials, schema=OF_TRIAL, orient="row")
    return rounds.join(sums, on="trial_id", maintain_order="left").join(others, on="trial_id", maintain_order="left")


def _warmed_up(found: WarmUp) -> tuple[float, bool, bool]:
    return found.work_s, found.is_steady, found.is_apart_from_server
