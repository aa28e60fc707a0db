"""Comparisons made by hand."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.figures.estimate import LogRatios
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from tests.builders.plan import make_cell, make_client
from tests.builders.records import (
    MORNING,
    laps,
    make_manifest,
    make_record,
    make_run,
    make_slice_record,
)


def make_rounds(*rounds: tuple[float, Sequence[float]]) -> LogRatios:
    return LogRatios(
        np.array([value for value, _ in rounds]),
        np.array([len(spread) for _, spread in rounds]),
        np.concatenate([np.array(spread, dtype=np.float64) for _, spread in rounds]),
    )


OTHER_MACHINE = make_manifest().machine.model_copy(update={"cpus": 64})


def run_on(day: int, same: int, new: int, version: str = "1", **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    """Return a run of a client that changes beside one that does not."""
    changing = [one.model_copy(update={"versions": {"new": version}}) for one in laps("new", new)]
    started: dict[str, Any] = {"run_id": f"day-{day}", "started_at": MORNING + timedelta(days=day)}
    return make_run(*laps("same", same), *changing, **started, **changes)


def trial_of(client: str, number: int = 1, depth: int | None = None) -> Trial:
    scenario = Scenario.SYNC if depth is None else Scenario.BATCHING
    return Trial(make_cell(make_client(client), scenario, Shape(depth=depth)), number)


def record(client: str, *operations: int, number: int = 1, depth: int | None = None) -> LoopRecord:
    slices = [make_slice_record(done, lap) for lap, done in enumerate(operations, start=1)]
    return make_record(trial_of(client, number, depth), slices=slices)
