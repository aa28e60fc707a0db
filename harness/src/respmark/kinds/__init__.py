"""Kinds of trial: what is done with a block once it is its turn, and what that leaves. Each kind is a folder here.

A kind has a `measurement`, which is made for each round of a block and does two things (`run.block.Measurement`):
`measure()` works with the trials' processes, which `run.block.BlockRun` starts and ends; `outcome(trial)` then says
what became of one, as a function of what was kept. Its `record` is what that leaves, and its `plan` estimates how long
it takes. What all kinds have in common knows none of them: only `cli` and `conform` import this package, and pass it to
whoever opens a run, as `run.block.Kinds`.

A new kind is a folder, and a line in each function below.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from respmark.kinds.loops import plan as plan_of_loops
from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

if TYPE_CHECKING:
    from respmark.contract.trial import Scenario
    from respmark.results.records import TrialRecord
    from respmark.run.block import BlockRun, Measurement
    from respmark.run.state import RunState


def measurement_of(run: "BlockRun", state: "RunState") -> "Measurement":
    """Return the measurement of one round of a block, by the kind of its trials."""
    from respmark.kinds.loops.measurement import LoopsMeasurement  # noqa: PLC0415 - a report needs none of it

    return LoopsMeasurement(run, state)


def record_type(scenario: "Scenario") -> type["TrialRecord"]:
    """Return what records of a scenario are."""
    from respmark.kinds.loops.record import LoopRecord  # noqa: PLC0415 - takes long to load, and help needs none of it

    del scenario  # all of them are loops
    return LoopRecord


def block_estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds, by the kind of its trials."""
    return plan_of_loops.estimate_s(settings, block, runners)
