"""Cells and what they are compared with as plain data, as JSON has them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from pydantic_core import to_jsonable_python

from respmark.figures.cells import Cell
from respmark.figures.estimate import Ratio
from respmark.figures.comparison import Change
from respmark.figures.series import Point, Series

FACTS: Final = (
    "run_id",
    *(
        one.name
        for one in fields(Cell)
        if one.name not in {"run", "is_library", "comparison", "change", "standing"}
    ),
)
"""What a cell is, without how it compares."""


def facts_of(cell: Cell) -> dict[str, Any]:
    """Return the facts of a cell by name."""
    return {name: getattr(cell, name) for name in FACTS if name != "native_core" or cell.native_core}


def cell_json(cell: Cell) -> Any:  # noqa: ANN401 - any JSON
    """Return a cell with how it compares."""
    comparison, change = (one and _to_baseline(one) for one in (cell.comparison, cell.change))
    found = {**facts_of(cell), "comparison": comparison, "change": change, "standing": cell.standing}
    return to_jsonable_python(found)


def _to_baseline(change: Change) -> dict[str, Any]:
    base = change.base
    return {
        "baseline": base.cell_id,
        "baseline_client": base.client,
        "baseline_workload": base.workload,
        "baseline_server": base.server,
        **change.ratios,
    }


def version_json(change: Change) -> Any:  # noqa: ANN401 - any JSON
    """Return a new version compared with an old one; workload and server are null if the run has only one."""
    new, old = ({"client": one.client, "version": one.library_version} for one in (change.new, change.base))
    cell = change.new
    found = {
        "library": cell.library,
        "new": new,
        "old": old,
        "scenario": cell.scenario,
        "shape": cell.shape,
        "workload": cell.workload if cell.names_workload else None,
        "server": cell.server if cell.names_server else None,
        **change.ratios,
    }
    return to_jsonable_python(found)


def releases_json(series: Series) -> Any:  # noqa: ANN401 - any JSON
    """Return the releases of a library in one use."""
    cell = series.cell
    found = {
        "library": cell.library,
        "options": series.options,
        **cell.use._asdict(),
        "control": series.control,
        "releases": [_release(one) for one in series.points],
    }
    return to_jsonable_python(found)


def _release(point: Point) -> dict[str, Any]:
    cell = point.cell
    return {
        "cell_id": cell.cell_id,
        "client": cell.client,
        "version": point.label,
        "status": cell.status,
        "reason": cell.reason,
        "measured": cell.measured,
        "to_control": _ratios(point.to_control),
        "before": point.before,
        "step": _ratios(point.step),
    }


def _ratios(change: Change | None) -> Mapping[str, Ratio]:
    return change.ratios if change else {}
