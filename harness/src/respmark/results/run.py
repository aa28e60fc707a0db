"""A run read from its files: its trials, and one table with a row a slice.

What only measures does not import this, because Polars takes long to load.
"""

import io
import json
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self

import polars as pl

from respmark.contract.trial import LOOPS, SHAPE_FIELDS, plain_type
from respmark.histogram import Histogram, Pairs, merge
from respmark.kinds.loops.record import LoopRecord, SliceRecord
from respmark.results.manifest import Manifest
from respmark.results.records import Status
from respmark.results.store import read_manifest, read_records

AT_ONCE: Final = 50
"""How many records are in memory while a run is read."""
MERGED: Final = 20
"""How many histograms of a cell are added up at once: each alone would take five times as long."""

# Polars takes SIGINT over and lets system calls go on after it: who waits for a process would not hear Ctrl-C.
signal.siginterrupt(signal.SIGINT, True)  # noqa: FBT003 - it has no name

LABELS: Final = {
    **dict.fromkeys(("trial_id", "cell_id", "block"), pl.String),
    "round": pl.Int64,
    **dict.fromkeys(("client", "library", "language", "scenario"), pl.String),
    **{name: {int: pl.Int64, float: pl.Float64, str: pl.String}[plain_type(name)] for name in SHAPE_FIELDS},
    **dict.fromkeys(("workload", "server", "status"), pl.String),
}
"""Columns that say which trial a slice is of."""
MEASURED: Final = dict.fromkeys(SliceRecord.model_fields, pl.Int64) | {
    "reason": pl.String,
    "is_repeated": pl.Boolean,
    "own_commands": pl.String,
    "is_saturated": pl.Boolean,
    "aim": pl.String,
    "rate_due": pl.Float64,
    **{f"{of}p{percent}_ns": pl.Float64 for of in ("", "service_", "lag_") for percent in (50, 99)},
}
"""Columns that say what was measured in it."""
SHARED: Final = ("client", "shape", "versions", "settings", "handshake")
_values = attrgetter(*SliceRecord.model_fields)


@dataclass(frozen=True, eq=False)
class Run:
    """A run as read from its files."""

    folder: Path
    manifest: Manifest
    trials: tuple[LoopRecord, ...]
    """In the order of rounds; without their slices and the buckets of their latencies."""
    slices: pl.DataFrame
    """A row a slice: what it is of (`LABELS`), and every field of `SliceRecord`."""
    latency: Mapping[str, Histogram]
    """All samples of the rounds that are `ok`, by cell."""

    @classmethod
    def of(cls, folder: Path, manifest: Manifest, records: Iterable[LoopRecord]) -> Self:
        """Return the run of these records, which are not kept."""
        trials: list[LoopRecord] = []
        first: dict[str, LoopRecord] = {}
        tables = [_measured([], 0)]
        latency: defaultdict[str, list[Pairs]] = defaultdict(list)
        records = iter(records)
        while some := list(islice(records, AT_ONCE)):
            tables.append(_measured(some, len(trials)))
            _add_latency(latency, some)
            trials += (_without_measured(one, first.setdefault(one.cell_id, one)) for one in some)
        numbered = pl.concat(tables)
        slices = pl.concat([_labels(trials)[numbered["number"]], numbered.drop("number")], how="horizontal")
        samples = {cell_id: merge(parts) for cell_id, parts in latency.items()}
        return cls(
            folder, manifest, tuple(sorted(trials, key=attrgetter("round", "order", "trial_id"))), slices, samples
        )

    @property
    def cell_ids(self) -> list[str]:
        """Return the cells in the suite's order; what the manifest does not name comes last."""
        planned = [cell.cell_id for cell in self.manifest.cells]
        return list(dict.fromkeys([*planned, *(trial.cell_id for trial in self.trials)]))


def read_run(folder: Path) -> Run:
    """Read a run; raises what `read_manifest` and `read_records` do."""
    return Run.of(folder, read_manifest(folder).of_loops, read_loops(folder))


def read_loops(folder: Path) -> Iterator[LoopRecord]:
    """Yield the records of a run's loops, without those of other kinds; raises what `read_records` does."""
    return read_records(folder, lambda scenario: LoopRecord if scenario in LOOPS else None)


def parquet(run: Run) -> bytes:
    """Return the table of a run's slices as a Parquet file."""
    file = io.BytesIO()
    run.slices.write_parquet(file)
    return file.getvalue()


def _measured(records: Sequence[LoopRecord], first: int) -> pl.DataFrame:
    slices = [one for record in records for one in record.slices]
    numbers = [number for number, record in enumerate(records, start=first) for _ in record.slices]
    values = list(zip(*map(_values, slices), strict=True)) or [()] * len(MEASURED)
    columns: dict[str, Any] = dict(zip(MEASURED, values, strict=True))
    columns["own_commands"] = [json.dumps(one.own_commands) if one.own_commands else None for one in slices]
    return pl.DataFrame({"number": numbers, **columns}, schema={"number": pl.UInt32, **MEASURED})


def _labels(trials: Sequence[LoopRecord]) -> pl.DataFrame:
    return pl.DataFrame([_label(trial) for trial in trials], schema=LABELS)


def _label(trial: LoopRecord) -> dict[str, Any]:
    same = ("trial_id", "cell_id", "block", "round", "language", "scenario", "workload", "server", "status")
    return {
        **{name: getattr(trial, name) for name in same},
        **trial.shape.model_dump(mode="json"),
        "client": trial.client.name,
        "library": trial.client.library,
    }


def _add_latency(latency: dict[str, list[Pairs]], records: Iterable[LoopRecord]) -> None:
    for record in records:
        if record.status is Status.OK and record.latency is not None:
            parts = latency[record.cell_id]
            parts.append(record.latency.histogram)
            if len(parts) == MERGED:
                parts[:] = [merge(parts)]


def _without_measured(record: LoopRecord, first: LoopRecord) -> LoopRecord:
    """Return a record without what is in tables, sharing what is the same in the first one of its cell."""
    shared = {name: one for name in SHARED if (one := getattr(first, name)) == getattr(record, name)}
    latency = record.latency and record.latency.model_copy(update={"histogram": []})
    return record.model_copy(update={"slices": [], "latency": latency, **shared})
