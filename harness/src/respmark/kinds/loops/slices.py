"""What is kept of the records of loops: a table with a row a slice, and each cell's samples added up."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import polars as pl

from respmark.contract.trial import LOOP_SCENARIOS
from respmark.histogram import Pairs, merge
from respmark.kinds.loops.record import LoopRecord, SliceRecord
from respmark.results.read import Kept, ReadRun, in_order, labels
from respmark.results.records import Status
from respmark.results.store import read_records

AT_ONCE: Final = 50
"""How many records are in memory while a run is read."""
MERGED: Final = 20
"""How many histograms of a cell are added up at once: each alone would take five times as long."""
SEVERAL: Final = ("own_commands", "topology_calls", "node_reads")
"""Columns with several counts, as JSON."""
MEASURED: Final = dict.fromkeys(SliceRecord.model_fields, pl.Int64) | {
    "reason": pl.String,
    "is_repeated": pl.Boolean,
    **dict.fromkeys(SEVERAL, pl.String),
    "is_saturated": pl.Boolean,
    "aim": pl.String,
    "rate_due": pl.Float64,
    **{f"{of}p{percent}_ns": pl.Float64 for of in ("", "service_", "lag_") for percent in (50, 99)},
}
"""Columns that say what was measured in a slice: every field of `SliceRecord`."""
SHARED: Final = ("client", "shape", "versions", "settings", "handshake")
_values = attrgetter(*SliceRecord.model_fields)


def kept_of(records: Iterable[LoopRecord]) -> Kept:
    """Return what is kept of records; of trials, without their slices and the buckets of their latencies."""
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
    slices = pl.concat([labels(trials)[numbered["number"]], numbered.drop("number")], how="horizontal")
    return Kept(in_order(trials), slices, {cell_id: merge(parts) for cell_id, parts in latency.items()})


def read_loops(folder: Path) -> Iterator[LoopRecord]:
    """Yield the records of a run's loops, whole, without those of other kinds; raises what `read_records` does."""
    return read_records(folder, lambda scenario: LoopRecord if scenario in LOOP_SCENARIOS else None)


def loops_of(run: ReadRun) -> list[LoopRecord]:
    """Return the trials of a run of loops."""
    return [one for one in run.trials if isinstance(one, LoopRecord)]


def _measured(records: Sequence[LoopRecord], first: int) -> pl.DataFrame:
    slices = [one for record in records for one in record.slices]
    numbers = [number for number, record in enumerate(records, start=first) for _ in record.slices]
    values = list(zip(*map(_values, slices), strict=True)) or [()] * len(MEASURED)
    columns: dict[str, Any] = dict(zip(MEASURED, values, strict=True))
    for name in SEVERAL:
        columns[name] = [json.dumps(counts) if counts else None for counts in columns[name]]
    return pl.DataFrame({"number": numbers, **columns}, schema={"number": pl.UInt32, **MEASURED})


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
