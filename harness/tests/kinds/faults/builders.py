"""Builders of records of faults."""

from pathlib import Path
from typing import Any

from respmark.contract.trial import Fault, Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.kinds.faults.kind import FAULTS
from respmark.kinds.faults.log import SECOND_NS, Unit
from respmark.kinds.faults.record import Connections, Errors, FaultRecord, Figures, Second, Wait, Writes
from respmark.plan.faults import callers_shape
from respmark.results.records import TrialRecord
from respmark.specs.limits import LimitsSpec
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_manifest, make_record, planned_cell

LIMITS = LimitsSpec(connect=2.0, command=1.0, pool="missing", retries=0)


def callers_shapes(callers: int) -> list[tuple[Scenario, Shape]]:
    shape = Shape(threads=callers, fault=Fault.RESET)
    return [(one, callers_shape(shape, one)) for one in (Scenario.THREADS, Scenario.POOL, Scenario.SYNC)]


def make_figures(longest_s: float = 0.5, **changes: Any) -> Figures:  # noqa: ANN401 - its fields
    fields: dict[str, Any] = {
        "longest_wait": Wait(s=longest_s),
        "perceived_wait": Wait(s=longest_s + 1),
        "first_success": Wait(s=0.01),
        "last_success": Wait(s=0.02),
        "recovered": Wait(s=0.3),
        "healthy_p99_s": 0.002,
        "errors": [Errors(error="TimeoutError", text="no\nreply", before=1, during=20, after=3)],
        "writes": Writes(sent=100, acknowledged=80, doubled=2),
        "seconds": [Second(due=40, succeeded=40, failed=0)] * 3,
    }
    return Figures(**fields | changes)


def fault_record(
    name: str = "lib",
    figures: Figures | None = None,
    fault: Fault = Fault.SILENCE,
    number: int = 1,
    **changes: Any,  # noqa: ANN401 - a record's fields
) -> FaultRecord:
    shape = Shape(threads=10, rate="40", fault=fault)
    trial = make_trial(Scenario.FAULTS, shape, number, make_client(name))
    common = make_record(trial).model_dump(include=set(TrialRecord.model_fields))
    fields: dict[str, Any] = {
        "lasts_s": 8.0,
        "limits": LIMITS,
        "figures": figures or make_figures(),
        "connections": Connections(opened=12, busiest=10, left=1),
        "close": Wait(s=0.004),
    }
    return FaultRecord(**{**common, **fields, **changes})


def under(fault: Fault, name: str, figures: Figures) -> FaultRecord:
    """Return what a client had under a fault; its library is that of its name."""
    client, cell = make_client(name, library=name.partition("[")[0]), f"{name}--{fault}"
    return fault_record(name, figures, fault, client=client, cell_id=cell, trial_id=cell)


def fault_run(*records: FaultRecord, **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    cells = list({one.cell_id: planned_cell(one) for one in records}.values())
    return RunFigures.of(Path("run"), make_manifest(cells=cells, **changes), records, FAULTS)


class Counting:
    """Every command is an INCR; a reply is how many of its caller's were executed."""

    def is_increment(self, _unit: Unit) -> bool:
        return True

    def is_right(self, unit: Unit) -> bool:
        return isinstance(unit.reply, int)

    def executed(self, unit: Unit) -> int | None:
        return unit.reply if isinstance(unit.reply, int) else None


def unit(due_s: float, ended_s: float | None, began_s: float | None = None, **fields: Any) -> Unit:  # noqa: ANN401 - its fields
    """Return a command of caller 0 that began when it was due."""
    ended_ns = None if ended_s is None else round(ended_s * SECOND_NS)
    began_ns = round((due_s if began_s is None else began_s) * SECOND_NS)
    return Unit(
        round(due_s * SECOND_NS), **{"caller": 0, "began_ns": began_ns, "ended_ns": ended_ns, "reply": 1, **fields}
    )
