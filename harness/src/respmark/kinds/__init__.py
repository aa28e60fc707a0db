"""Kinds of trial: what is done with a block once it is its turn, and what that leaves. Each kind is a folder here.

A kind's folder has `measurement.py`, which is made for each round of a block and does two things
(`run.block.Measurement`): `measure()` works with the trials' processes, which `run.block.BlockRun` starts and ends;
`outcome(trial)` then says what became of one, as a function of what was kept. `record.py` is what that leaves,
`duration.py` estimates how long it takes, `metrics.py` has the figures that follow, and `kind.py` what reports show
(`report.kind.Kind`). Only `cli` and `conform` import this package, and pass it to whoever opens a run, as
`run.block.Kinds`; `kinds.reading` has those that are read. docs/architecture.md lists what else a new kind needs.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from respmark.contract.trial import LOOP_SCENARIOS, Scenario
from respmark.kinds.cold_start import duration as of_cold_starts
from respmark.kinds.faults import duration as of_faults
from respmark.kinds.loops import duration as of_loops
from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

if TYPE_CHECKING:  # each takes long to load, and few commands need all of it
    from respmark.results.records import TrialRecord
    from respmark.run.block import BlockRun, Measurement
    from respmark.run.state import RunState


def measurement_of(run: "BlockRun", state: "RunState") -> "Measurement":
    """Return the measurement of one round of a block, by the kind of its trials."""
    match scenario := _scenario_of(run.block):
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.measurement import ColdStartMeasurement  # noqa: PLC0415 - takes long to load

            return ColdStartMeasurement(run, state)
        case Scenario.FAULTS:
            from respmark.kinds.faults.measurement import FaultsMeasurement  # noqa: PLC0415 - takes long to load

            return FaultsMeasurement(run, state)
        case _ if scenario in LOOP_SCENARIOS:
            from respmark.kinds.loops.measurement import LoopsMeasurement  # noqa: PLC0415 - takes long to load

            return LoopsMeasurement(run, state)
        case _:
            raise NotImplementedError(scenario)


def record_type(scenario: Scenario) -> type["TrialRecord"]:
    """Return what records of a scenario are."""
    match scenario:
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.record import StartsRecord  # noqa: PLC0415 - takes long to load

            return StartsRecord
        case Scenario.FAULTS:
            from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - takes long to load

            return FaultRecord
        case _ if scenario in LOOP_SCENARIOS:
            from respmark.kinds.loops.record import LoopRecord  # noqa: PLC0415 - takes long to load

            return LoopRecord
        case _:
            raise NotImplementedError(scenario)


def block_estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds, by the kind of its trials."""
    match scenario := _scenario_of(block):
        case Scenario.COLD_START:
            return of_cold_starts.estimate_s(settings, block, runners)
        case Scenario.FAULTS:
            return of_faults.estimate_s(settings, block, runners)
        case _ if scenario in LOOP_SCENARIOS:
            return of_loops.estimate_s(settings, block, runners)
        case _:
            raise NotImplementedError(scenario)


def _scenario_of(block: Block) -> Scenario:
    """Return the scenario of a block's first trial: a block has trials of one kind."""
    return block.trials[0].cell.scenario
