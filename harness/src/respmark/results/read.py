"""A run read from its files: its trials, and one table with a row a slice (loops) or a trial (other kinds).

What only measures does not import this, because Polars takes long to load.
"""

import io
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl

from respmark.contract.trial import SHAPE_FIELDS, plain_type
from respmark.histogram import Histogram
from respmark.results.manifest import Manifest
from respmark.results.records import TrialRecord

Record = TypeVar("Record", bound=TrialRecord)

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


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of the records of one kind of trial."""

    trials: Sequence[TrialRecord]
    """In the order of rounds; without what is in the table."""
    slices: pl.DataFrame
    """A row a slice (loops) or a trial (other kinds): what it is of (`LABELS`), and its fields."""
    latency: Mapping[str, Histogram] = field(default_factory=dict)
    """All samples of the rounds that are `ok`, by cell."""


def keep(records: Iterable[TrialRecord]) -> Kept:
    """Return records as they are, with a row for each in the table."""
    trials = in_order(records)
    return Kept(trials, labels(trials))


def labels(trials: Iterable[TrialRecord]) -> pl.DataFrame:
    """Return a row a trial: what it is."""
    return pl.DataFrame([_label(trial) for trial in trials], schema=LABELS)


def _label(trial: TrialRecord) -> dict[str, Any]:
    same = ("trial_id", "cell_id", "block", "round", "language", "scenario", "workload", "server", "status")
    return {
        **{name: getattr(trial, name) for name in same},
        **trial.shape.model_dump(mode="json"),
        "client": trial.client.name,
        "library": trial.client.library,
    }


@dataclass(frozen=True, eq=False)
class ReadRun:
    """A run as read from its files: its trials of one kind."""

    folder: Path
    manifest: Manifest
    """With the cells of that kind alone."""
    kept: Kept = field(repr=False)

    @property
    def slices(self) -> pl.DataFrame:
        """Return the table of what its trials have many of."""
        return self.kept.slices

    @property
    def latency(self) -> Mapping[str, Histogram]:
        """Return all samples of the rounds that are `ok`, by cell."""
        return self.kept.latency

    @property
    def trials(self) -> Sequence[TrialRecord]:
        """Return its trials in the order of rounds."""
        return self.kept.trials

    @property
    def cell_ids(self) -> list[str]:
        """Return the cells in the suite's order; what the manifest does not name comes last."""
        planned = [cell.cell_id for cell in self.manifest.cells]
        return list(dict.fromkeys([*planned, *(trial.cell_id for trial in self.trials)]))


def in_order(trials: Iterable[Record]) -> list[Record]:
    """Return trials in the order of rounds."""
    return sorted(trials, key=attrgetter("round", "order", "trial_id"))


def parquet(run: ReadRun) -> bytes:
    """Return the table of a run's slices as a Parquet file."""
    file = io.BytesIO()
    run.slices.write_parquet(file)
    return file.getvalue()
