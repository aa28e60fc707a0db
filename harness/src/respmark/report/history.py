"""A history of runs as chapters: a chapter per scenario, a table per client and shape, a row per run."""

import json
from collections.abc import Iterator
from string import ascii_uppercase
from typing import Any, Final

from pydantic_core import to_jsonable_python

from respmark import numbers
from respmark.contract.base import SCHEMA_VERSION
from respmark.figures.alike import PROCESSES
from respmark.figures.cells import Cell
from respmark.figures.estimate import CONFIDENCE
from respmark.figures.measured import COMPARED, name_of
from respmark.figures.series import History, Point, Series, machine_of
from respmark.report.columns import ratio_text
from respmark.report.header import plural
from respmark.report.notes import joined
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, row

STEPS: Final = (
    "a step: the ratio to the control differs from that of the run before on the same machine, with its 95 % interval, "
    "all steps of the history taken together (Holm)"
)
ABSOLUTE: Final = "commands per second of different machines, or of different days, say nothing about each other"


def history_chapters(history: History) -> list[Chapter]:
    """Return the history: the runs' machines, a chapter per scenario, and what applies to all."""
    machines = machine_letters(history)
    scenarios = dict.fromkeys(one.cell.scenario for one in history.series)
    return [
        Chapter("respmark history", tuple(header(history, machines)), level=1),
        *(
            Chapter(
                str(scenario),
                tables=tuple(table(one, history, machines) for one in history.series if one.cell.scenario is scenario),
            )
            for scenario in scenarios
        ),
        Chapter("", notes=(STEPS, ABSOLUTE)),
    ]


def history_json(history: History) -> str:
    """Return the history as JSON."""
    head = {"schema_version": SCHEMA_VERSION, "confidence": CONFIDENCE}
    found = {"control": history.control, "metric": history.metric}
    series = [_series(one, history.metric) for one in history.series]
    return json.dumps(to_jsonable_python({**head, **found, "series": series}), indent=1, allow_nan=False) + "\n"


def _series(one: Series, metric: str) -> dict[str, Any]:
    return {"client": one.cell.client, **one.cell.use._asdict(), "points": [_point(each, metric) for each in one.points]}


def _point(point: Point, metric: str) -> dict[str, Any]:
    manifest, step = point.cell.run.manifest, point.step_in(metric)
    return {
        "run_id": manifest.run_id,
        "started_at": manifest.started_at,
        "machine": machine_of(point.cell.run),
        "processes": manifest.processes,
        "server": manifest.servers[point.cell.server].version,
        "library_version": point.cell.library_version,
        "rps": _rps(point.cell),
        "control_rps": _rps(point.control),
        "ratio": point.to(metric),
        "step": step if step.is_known else None,
    }


def _rps(cell: Cell | None) -> float:
    return cell.measured.rps_median if cell and cell.measured else 0.0


def machine_letters(history: History) -> dict[str, str]:
    """Return a name for each machine, in the order of their first runs."""
    runs = [point.cell.run for one in history.series for point in one.points]
    machines = dict.fromkeys(map(machine_of, sorted(runs, key=lambda run: run.manifest.started_at)))
    return {
        machine: ascii_uppercase[number] if number < len(ascii_uppercase) else str(number + 1)
        for number, machine in enumerate(machines)
    }


def header(history: History, machines: dict[str, str]) -> Iterator[str]:
    """Yield what the history is of."""
    manifests = (point.cell.run.manifest for one in history.series for point in one.points)
    lived = {one.run_id: one.processes for one in manifests}
    name = name_of(history.metric)
    steps = [(one, point) for one in history.series for point in one.points if point.steps]
    yield f"{plural(len(lived), 'run')}; ratios of {name} to {history.control}; {plural(len(steps), 'step')}"
    yield from (f"machine {letter}: {machine}" for machine, letter in machines.items())
    if len(set(lived.values())) > 1:
        old = ", ".join(run_id for run_id, processes in lived.items() if processes != "block")
        yield f"processes: {PROCESSES['round']} in {old}, {PROCESSES['block']} in the others; no step leads across"
    for one, point in steps:
        yield f"{point.cell.run.manifest.started_at:%Y-%m-%d}, {series_label(one)}: {step_text(point, history)}"


def series_label(one: Series) -> str:
    """Return what a series is of, in words."""
    return joined(f"{one.cell.client} in {one.cell.scenario}", one.cell.shape.label)


def step_text(point: Point, history: History) -> str:
    """Return a step with its interval and whether it is for the better; empty if there is none."""
    if (step := point.steps.get(history.metric)) is None:
        return ""
    is_better = (step.value > 1) is not COMPARED[history.metric][1].is_cost
    return f"{'better' if is_better else 'worse'}: {ratio_text(step)}"


def table(one: Series, history: History, machines: dict[str, str]) -> Table:
    """Return a series as a table, a row per run."""
    columns = (
        *(SUBJECT, Heading("version"), Heading("machine"), Heading("server", is_extra=True)),
        *(Heading("RPS"), Heading(f"RPS of\n{history.control}")),
        *(Heading(f"{name_of(history.metric)} ratio\nto {history.control}"), Heading("step", is_text=True)),
    )
    cell = one.cell
    label = joined(cell.client, cell.shape.label, cell.workload, cell.server)
    return Table(label, columns, tuple(_row(point, history, machines) for point in one.points))


def _row(point: Point, history: History, machines: dict[str, str]) -> Row:
    step = TableCell(step_text(point, history), ("ok" if "better" in step_text(point, history) else "failed"))
    cell, manifest = point.cell, point.cell.run.manifest
    return row(
        f"{manifest.started_at:%Y-%m-%d %H:%M}",
        cell.library_version or "",
        machines[machine_of(cell.run)],
        manifest.servers[cell.server].version,
        numbers.rps(_rps(cell)),
        numbers.rps(_rps(point.control)),
        ratio_text(point.to(history.metric)).removesuffix(" ="),
        step,
    )
