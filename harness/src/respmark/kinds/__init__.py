"""Kinds of trial: what is done with a block once it is its turn, and what that leaves. Each kind is a folder here.

A kind has a `measurement`, which is made for each round of a block and does two things (`run.block.Measurement`):
`measure()` works with the trials' processes, which `run.block.BlockRun` starts and ends; `outcome(trial)` then says
what became of one, as a function of what was kept. Its `record` is what that leaves, and its `plan` estimates how long
it takes. What all kinds have in common knows none of them: only `cli` and `conform` import this package, and pass it to
whoever opens a run, as `run.block.Kinds`.

A new kind is a folder, and a line in each function below.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respmark.contract.trial import Scenario
from respmark.kinds.cold_start import plan as plan_of_cold_starts
from respmark.kinds.faults import plan as plan_of_faults
from respmark.kinds.loops import plan as plan_of_loops
from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

if TYPE_CHECKING:  # each takes long to load, and few commands need all of it
    from respmark.report.table import Chapter
    from respmark.results.records import TrialRecord
    from respmark.run.block import BlockRun, Measurement
    from respmark.run.state import RunState


def measurement_of(run: "BlockRun", state: "RunState") -> "Measurement":
    """Return the measurement of one round of a block, by the kind of its trials."""
    match _scenario_of(run.block):
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.measurement import ColdStartMeasurement  # noqa: PLC0415 - as above

            return ColdStartMeasurement(run, state)
        case Scenario.FAULTS:
            from respmark.kinds.faults.measurement import FaultsMeasurement  # noqa: PLC0415 - as above

            return FaultsMeasurement(run, state)
        case _:
            from respmark.kinds.loops.measurement import LoopsMeasurement  # noqa: PLC0415 - as above

            return LoopsMeasurement(run, state)


def record_type(scenario: Scenario) -> type["TrialRecord"]:
    """Return what records of a scenario are."""
    match scenario:
        case Scenario.COLD_START:
            from respmark.kinds.cold_start.record import StartsRecord  # noqa: PLC0415 - as above

            return StartsRecord
        case Scenario.FAULTS:
            from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - as above

            return FaultRecord
        case _:
            from respmark.kinds.loops.record import LoopRecord  # noqa: PLC0415 - as above

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


def chapters(folder: Path) -> list["Chapter"]:
    """Return the tables of a run's trials that are no loops; none if all are."""
    from respmark.results.store import read_manifest, read_records  # noqa: PLC0415 - as above

    manifest = read_manifest(folder)
    scenarios = {cell.scenario for cell in manifest.cells}
    found: list[Chapter] = []
    if Scenario.COLD_START in scenarios:
        from respmark.kinds.cold_start.record import StartsRecord  # noqa: PLC0415 - as above
        from respmark.kinds.cold_start.tables import cold_start_chapters  # noqa: PLC0415 - as above

        records = (one for one in read_records(folder, record_type) if isinstance(one, StartsRecord))
        found += cold_start_chapters(manifest, records)
    if Scenario.FAULTS in scenarios:
        from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - as above
        from respmark.kinds.faults.tables import fault_chapters  # noqa: PLC0415 - as above

        faults = (one for one in read_records(folder, record_type) if isinstance(one, FaultRecord))
        found += fault_chapters(manifest, faults)
    return found


def rows(folder: Path) -> list[Mapping[str, object]]:
    """Return the cells of a run that are no loops as rows of CSV and JSON, of the kinds that have such."""
    from respmark.kinds.faults.metrics import cells_of, row_of  # noqa: PLC0415 - as above
    from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - as above
    from respmark.results.store import read_manifest, read_records  # noqa: PLC0415 - as above

    faults = (one for one in read_records(folder, record_type) if isinstance(one, FaultRecord))
    return [row_of(cell) for cell in cells_of(read_manifest(folder), faults)]


def timeline(folder: Path, use: str | None) -> dict[str, Any]:
    """Return the timelines of a run's clients under one fault as a Vega-Lite spec; raises InvalidRequestError."""
    from respmark.kinds.faults import picture  # noqa: PLC0415 - as above
    from respmark.kinds.faults.record import FaultRecord  # noqa: PLC0415 - as above
    from respmark.results.store import read_manifest, read_records  # noqa: PLC0415 - as above

    faults = (one for one in read_records(folder, record_type) if isinstance(one, FaultRecord))
    return picture.timeline(read_manifest(folder), faults, use)


def _scenario_of(block: Block) -> Scenario:
    """Return the scenario of a block's first trial: a block has trials of one kind."""
    return block.trials[0].cell.scenario
