"""Cells as data: CSV, with a row per cell, and JSON. The columns are a public interface (docs/reading-results.md)."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from pydantic_core import to_jsonable_python

from respmark.contract.base import SCHEMA_VERSION
from respmark.escaping import csv_cell
from respmark.figures.cells import Cell
from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio
from respmark.figures.measured import COMPARED, metrics
from respmark.figures.precision import precision_of
from respmark.figures.series import Point, Series, machine_of
from respmark.micro.model import MicroRun
from respmark.report.guidance import claim_json
from respmark.report.notes import caveats
from respmark.report.report import Report

FACTS: Final = (
    "run_id",
    *(
        one.name
        for one in fields(Cell)
        if one.name not in {"run", "is_library", "comparison", "change", "standing"}
    ),
)
"""What a cell is, without how it compares."""


IDENTITY: Final = (
    *("scenario", "client", "library", "library_version", "language"),
    *("depth", "window", "form", "threads", "connections", "max_total", "max_idle", "processes"),
    *("rounds", "status", "reason"),
)
"""What a row is of; fields that shapes have had since stand further right."""


def _ratio_columns(metrics: Iterable[str]) -> list[str]:
    return [f"{key}_ratio{bound}" for key in metrics for bound in ("", "_low", "_high")]


COLUMNS: Final = (
    *IDENTITY,
    *("operations", "rps_median", "rps_min", "rps_max", "client_cpu_percent", "client_cpu_us_per_command"),
    *("server_cpu_percent", "server_cpu_us_per_command", "other_cpu_percent", "commands_per_read"),
    *("connections_received", "hit_ratio", "sample_covers", "p50_ms", "p99_ms", "p999_ms", "max_ms", "bottleneck"),
    *("connections_open", "drift_percent", "peak_memory_bytes", "rounds_failed", "run_id", "baseline"),
    *_ratio_columns(("rps", "client_cpu", "server_cpu")),
    *("slices", "waiting_cpu_percent", "warmup_s", "client_thread_percent", "server_thread_percent", "stolen_percent"),
    *("rounds_planned", "slices_lost", "fastest", "fastest_of_language", "workload", "baseline_workload"),
    *("cache_entries", "local_hit_ratio", "local_invalidations_per_second", "rtt_ms", "server", "rate"),
    *("service_p50_ms", "service_p99_ms", "lag_p99_ms", "due", "unstarted", "backlog", "saturated_slices"),
    *_ratio_columns(("p50", "p99")),
)
"""In the order in which they were added, so that readers by position keep working."""
DECIMALS: Final = 6


def to_csv(cells: Iterable[Cell]) -> str:
    """Return the header, and one row per cell; an empty field does not apply."""
    output, names = io.StringIO(), columns()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_written(row.get(name)) for name in names] for row in map(_row, cells))
    return output.getvalue()


def columns() -> list[str]:
    """Return the names of the columns; metrics that are new since follow those of `COLUMNS`."""
    more = [key for key, metric in metrics().items() if metric.in_csv]
    return list(dict.fromkeys([*COLUMNS, *more, *_ratio_columns(COMPARED)]))


def _row(cell: Cell) -> dict[str, object]:
    row = {**facts_of(cell), **dict(cell.shape), **(dict(cell.measured) if cell.measured else {})}
    if (found := cell.comparison) is not None:
        row |= {"baseline": found.base.client, "baseline_workload": found.base.workload}
        for name in COMPARED:
            ratio = found.ratio(name)
            row |= {
                f"{name}_ratio": ratio.value if ratio.is_known else None,
                f"{name}_ratio_low": ratio.low,
                f"{name}_ratio_high": ratio.high,
            }
    if cell.standing and cell.standing.is_claimed:
        row["fastest"] = "yes" if cell.standing.is_fastest else "no"
        row["fastest_of_language"] = "yes" if cell.standing.is_fastest_of_language else "no"
    return row


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return csv_cell(value) if isinstance(value, str) else str(value)


def to_json(reports: Iterable[Report], micro_runs: Iterable[MicroRun] = ()) -> str:
    """Return every run with its cells and with what applies to all of it, and every run of micro-benchmarks."""
    runs, micro = [_run(one) for one in reports], [_micro_run(one) for one in micro_runs]
    content = {"schema_version": SCHEMA_VERSION, "runs": runs, "micro_runs": micro}
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    precision = precision_of(cell.comparison for cell in report.cells)
    return {
        "manifest": report.manifest.model_dump(mode="json"),
        "cells": list(map(cell_json, report.cells)),
        "careful": list(caveats(report.manifest, report.cells)),
        "precision": {name: one.model_dump(mode="json") for name, one in precision.items()},
        "version_changes": list(map(version_json, report.changes)),
        "timelines": list(map(releases_json, report.timelines)),
        "claims": [claim_json(one) for one in report.verdicts],
    }


def _micro_run(run: MicroRun) -> dict[str, Any]:
    records = [{**one.model_dump(mode="json"), "ns_per_command": one.ns_per_command} for one in run.records]
    return {**run.model_dump(mode="json", exclude={"records"}), "records": records}


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


def run_series_json(series: Series) -> Any:  # noqa: ANN401 - any JSON
    """Return a client over many runs."""
    points = [_run_point(one) for one in series.points]
    return to_jsonable_python({"client": series.cell.client, **series.cell.use._asdict(), "points": points})


def _run_point(point: Point) -> dict[str, Any]:
    manifest = point.cell.run.manifest
    return {
        "run_id": manifest.run_id,
        "started_at": manifest.started_at,
        "machine": machine_of(point.cell.run),
        "processes": manifest.processes,
        "server": manifest.servers[point.cell.server].version,
        "library_version": point.cell.library_version,
        "measured": point.cell.measured,
        "control_measured": point.control and point.control.measured,
        "to_control": _ratios(point.to_control),
        "before": point.before,
        "step": _ratios(point.step),
    }


def _ratios(change: Change | None) -> Mapping[str, Ratio]:
    return change.ratios if change else {}
