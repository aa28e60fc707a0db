"""Kinds of trial: what is done with a block once it is its turn, and what that leaves. Each kind is a folder here.

A kind has a `measurement`, which is made for each round of a block and does two things (`run.block.Measurement`):
`measure()` works with the trials' processes, which `run.block.BlockRun` starts and ends; `outcome(trial)` then says
what became of one, as a function of what was kept. Its `record` is what that leaves, and its `plan` estimates how long
it takes. Its `metrics` are the figures that follow, and its `tables` what reports show of them (`report.kind.Kind`).
What all kinds have in common knows none of them: only `cli` and `conform` import this package, and pass it to whoever
opens a run, as `run.block.Kinds`; `kinds.figures` has those that are read.

A new kind is a folder, a line in each function below, and one in `kinds.figures`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from respmark.contract.trial import Scenario
from respmark.kinds.cold_start import plan as plan_of_cold_starts
from respmark.kinds.faults import plan as plan_of_faults
from respmark.kinds.loops import plan as plan_of_loops
from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

if TYPE_CHECKING:  # each takes long to load, and few commands need all of it
    from respmark.results.records import TrialRecord
    from respmark.run.block import BlockRun, Measurement
    from respmark.run.state import RunState


def measurement_of(run: "BlockRun", state: "RunState") -> "Measurement":
    """Return the measurement of one round of a block, by the kind of its trials."""
    match _scenario_of(run.block):
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.measurement import ColdStartMeasurement  # noqa: PLC0415 - takes long to load

            return ColdStartMeasurement(run, state)
        case Scenario.FAULTS:
            from respmark.kinds.faults.measurement import FaultsMeasurement  # noqa: PLC0415 - takes long to load

            return FaultsMeasurement(run, state)
        case _:
            from respmark.kinds.loops.measurement import LoopsMeasurement  # noqa: PLC0415 - takes long to load

            return LoopsMeasurement(run, state)


def record_type(scenario: Scenario) -> type["TrialRecord"]:
    """Return what records of a scenario are."""
    match scenario:
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.record import StartsRecord  # noqa: PLC0415 - takes long to load

            return StartsRecord
        case Scenario.FAULTS:
            from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - takes long to load

            return FaultRecord
        case _:
            from respmark.kinds.loops.record import LoopRecord  # noqa: PLC0415 - takes long to load

            return LoopRecord


def block_estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds, by the kind of its trials."""
    match _scenario_of(block):
        case Scenario.COLD_START:
            return plan_of_cold_starts.estimate_s(settings, block, runners)
        case Scenario.FAULTS:
            return plan_of_faults.estimate_s(settings, block, runners)
        case _:
            return plan_of_loops.estimate_s(settings, block, runners)


def _scenario_of(block: Block) -> Scenario:
    """Return the scenario of a block's first trial: a block has trials of one kind."""
    return block.trials[0].cell.scenario
