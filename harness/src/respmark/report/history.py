"""A history of runs as chapters: a chapter per scenario, a table per client and shape, a row per run."""

import json
from collections.abc import Iterator
from string import ascii_uppercase
from typing import Final

from respmark import numbers
from respmark.contract.base import SCHEMA_VERSION
from respmark.figures.between import PROCESSES
from respmark.figures.compare import CONFIDENCE
from respmark.figures.history import History, Point, Series
from respmark.figures.measured import COMPARED, name_of
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
    scenarios = dict.fromkeys(one.scenario for one in history.series)
    return [
        Chapter("respmark history", tuple(header(history, machines)), level=1),
        *(
            Chapter(
                str(scenario),
                tables=tuple(table(one, history, machines) for one in history.series if one.scenario is scenario),
            )
            for scenario in scenarios
        ),
        Chapter("", notes=(STEPS, ABSOLUTE)),
    ]


def history_json(history: History) -> str:
    """Return the history as JSON."""
    head = {"schema_version": SCHEMA_VERSION, "confidence": CONFIDENCE}
    return json.dumps({**head, **history.model_dump(mode="json")}, indent=1, allow_nan=False) + "\n"


def machine_letters(history: History) -> dict[str, str]:
    """Return a name for each machine, in the order of their first runs."""
    points = sorted((point for one in history.series for point in one.points), key=lambda point: point.started_at)
    machines = dict.fromkeys(point.machine for point in points)
    return {
        machine: ascii_uppercase[number] if number < len(ascii_uppercase) else str(number + 1)
        for number, machine in enumerate(machines)
    }


def header(history: History, machines: dict[str, str]) -> Iterator[str]:
    """Yield what the history is of."""
    lived = {point.run_id: point.processes for one in history.series for point in one.points}
    name = name_of(history.metric)
    steps = [(one, point) for one in history.series for point in one.points if is_step(point)]
    yield f"{plural(len(lived), 'run')}; ratios of {name} to {history.control}; {plural(len(steps), 'step')}"
    yield from (f"machine {letter}: {machine}" for machine, letter in machines.items())
    if len(set(lived.values())) > 1:
        old = ", ".join(run_id for run_id, processes in lived.items() if processes != "block")
        yield f"processes: {PROCESSES['round']} in {old}, {PROCESSES['block']} in the others; no step leads across"
    for one, point in steps:
        yield f"{point.started_at:%Y-%m-%d}, {series_label(one)}: {step_text(point, history)}"


def series_label(one: Series) -> str:
    """Return what a series is of, in words."""
    return joined(f"{one.client} in {one.scenario}", one.shape.label)


def is_step(point: Point) -> bool:
    """Return whether a point is shown to differ from the one before."""
    return point.step is not None and point.step.shown


def step_text(point: Point, history: History) -> str:
    """Return a step with its interval and whether it is for the better; empty if there is none."""
    if point.step is None or not point.step.shown:
        return ""
    is_better = (point.step.value > 1) is not COMPARED[history.metric][1].is_cost
    return f"{'better' if is_better else 'worse'}: {ratio_text(point.step)}"


def table(one: Series, history: History, machines: dict[str, str]) -> Table:
    """Return a series as a table, a row per run."""
    columns = (
        *(SUBJECT, Heading("version"), Heading("machine"), Heading("server", is_extra=True)),
        *(Heading("RPS"), Heading(f"RPS of\n{history.control}")),
        *(Heading(f"{name_of(history.metric)} ratio\nto {history.control}"), Heading("step", is_text=True)),
    )
    label = joined(one.client, one.shape.label, one.workload, one.server)
    return Table(label, columns, tuple(_row(point, history, machines) for point in one.points))


def _row(point: Point, history: History, machines: dict[str, str]) -> Row:
    step = TableCell(step_text(point, history), ("ok" if "better" in step_text(point, history) else "failed"))
    return row(
        f"{point.started_at:%Y-%m-%d %H:%M}",
        point.library_version or "",
        machines[point.machine],
        point.server,
        numbers.rps(point.rps),
        numbers.rps(point.control_rps),
        ratio_text(point.ratio).removesuffix(" ="),
        step,
    )
