"""Cells and micro-benchmarks as data: CSV, JSON, and the points of a trend.

CSV has one row per cell or micro-benchmark; its columns are a public interface (docs/reading-results.md).
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.escaping import csv_cell, line
from respmark.figures.cells import Cell
from respmark.figures.estimate import Ratio
from respmark.figures.measured import COMPARED, US, metrics
from respmark.figures.precision import precision_of
from respmark.figures.series import METRICS, Point, Series
from respmark.micro.model import MicroRecord, MicroRun
from respmark.report.columns import RATIO_NAMES
from respmark.report.data import cell_json, facts_of, releases_json, version_json
from respmark.report.guidance import claim_json
from respmark.report.notes import caveats, cell_name
from respmark.report.report import Report
from respmark.report.timeline import use_of

IDENTITY: Final = (
    *("scenario", "client", "library", "library_version", "language"),
    *("depth", "window", "form", "threads", "connections", "max_total", "max_idle", "processes"),
    *("rounds", "status", "reason"),
)
"""What a row is of; fields that shapes have had since stand further right."""
MICRO: Final[dict[str, Callable[[MicroRun, MicroRecord], object]]] = {
    "micro_tool": lambda run, _: run.tool.name,
    "micro_tool_version": lambda run, _: run.tool.version,
    "micro_benchmark": lambda _, one: one.benchmark,
    "micro_operation": lambda _, one: one.operation or None,
    "micro_parameters": lambda _, one: _pairs(one.parameters),
    "micro_time_ns_per_operation": lambda _, one: one.measured and one.measured.time_ns,
    "micro_error_ns": lambda _, one: one.measured and one.measured.error_ns,
    "micro_error_is": lambda _, one: one.measured and one.measured.error_is,
    "micro_commands_per_operation": lambda _, one: one.commands,
    "micro_time_ns_per_command": lambda _, one: one.ns_per_command,
    "micro_allocated_bytes_per_operation": lambda _, one: one.measured and one.measured.allocated_bytes,
    "micro_gc_count": lambda _, one: one.measured and one.measured.collections.count,
    "micro_gc_time_ms": lambda _, one: one.measured and one.measured.collections.time_ms,
    "micro_gc_per_1000_operations": lambda _, one: (
        one.measured and _pairs(one.measured.collections.per_1000_operations)
    ),
    "micro_forks": lambda _, one: one.measured and one.measured.forks,
    "micro_iterations": lambda _, one: one.measured and one.measured.iterations,
    "micro_threads": lambda _, one: one.measured and one.measured.threads,
}
"""Columns that only micro-benchmarks have."""


def _ratio_columns(metrics: Iterable[str]) -> list[str]:
    return [f"{key}_ratio{bound}" for key in metrics for bound in ("", "_low", "_high")]


COLUMNS: Final = (
    *IDENTITY,
    *("operations", "rps_median", "rps_min", "rps_max", "client_cpu_percent", "client_cpu_us_per_command"),
    *("server_cpu_percent", "server_cpu_us_per_command", "other_cpu_percent", "commands_per_read"),
    *("connections_received", "hit_ratio", "sample_covers", "p50_ms", "p99_ms", "p999_ms", "max_ms", "bottleneck"),
    *("connections_open", "drift_percent", "peak_memory_bytes", "rounds_failed", "run_id", *MICRO, "baseline"),
    *_ratio_columns(("rps", "client_cpu", "server_cpu")),
    *("slices", "waiting_cpu_percent", "warmup_s", "client_thread_percent", "server_thread_percent", "stolen_percent"),
    *("rounds_planned", "slices_lost", "fastest", "fastest_of_language", "workload", "baseline_workload"),
    *("cache_entries", "local_hit_ratio", "local_invalidations_per_second", "rtt_ms", "server", "rate"),
    *("service_p50_ms", "service_p99_ms", "lag_p99_ms", "due", "unstarted", "backlog", "saturated_slices"),
    *_ratio_columns(("p50", "p99")),
)
"""In the order in which they were added, so that readers by position keep working."""
TIMELINE_COLUMNS: Final = (
    *("library", "options", "use", "workload", "server", "release", "client", "status", "reason"),
    *("rps_median", "client_cpu_us_per_command", "control", "before"),
    *(f"{metric}_ratio{end}" for metric in METRICS for end in ("", "_low", "_high")),
    *(f"{metric}_step{end}" for metric in METRICS for end in ("", "_low", "_high", "_shown")),
)
"""Of a timeline's CSV; `before` is the release that a step is from."""
DECIMALS: Final = 6


def to_csv(cells: Iterable[Cell], micro_runs: Iterable[MicroRun] = ()) -> str:
    """Return the header, and one row per cell or micro-benchmark; an empty field does not apply."""
    output, names = io.StringIO(), columns()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    rows = [*map(_row, cells), *(_micro_row(run, record) for run in micro_runs for record in run.records)]
    writer.writerows([_written(row.get(name)) for name in names] for row in rows)
    return output.getvalue()


def to_timeline_csv(timelines: Iterable[Series]) -> str:
    """Return the header, and one row per release and use; an empty field does not apply."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(TIMELINE_COLUMNS)
    rows = (_release_row(timeline, one) for timeline in timelines for one in timeline.points)
    writer.writerows([_written(found.get(name)) for name in TIMELINE_COLUMNS] for found in rows)
    return output.getvalue()


def _release_row(timeline: Series, one: Point) -> dict[str, object]:
    steps = {
        f"{metric}_step_shown": "yes" if metric in one.steps else "no"
        for metric in METRICS
        if one.step_in(metric).low is not None
    }
    return {
        **facts_of(one.cell),
        **(dict(one.cell.measured) if one.cell.measured else {}),
        **_ratio_fields(one.to, "ratio"),
        **_ratio_fields(one.step_in, "step"),
        **steps,
        "options": timeline.options,
        "control": timeline.control,
        "use": use_of(timeline),
        "release": one.label,
        "before": one.before,
    }


def _ratio_fields(ratio_of: Callable[[str], Ratio], of: str) -> dict[str, object]:
    known = ((metric, ratio_of(metric)) for metric in METRICS if ratio_of(metric).is_known)
    return {
        f"{metric}_{of}{end}": value
        for metric, ratio in known
        for end, value in (("", ratio.value), ("_low", ratio.low), ("_high", ratio.high))
    }


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


def _micro_row(run: MicroRun, record: MicroRecord) -> dict[str, object]:
    named = {"client": record.library, "run_id": run.run_id}
    return {
        **dict(record.shape or ()),
        **dict(record),
        **named,
        **{name: of(run, record) for name, of in MICRO.items()},
    }


def _pairs(values: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_written(value)}" for name, value in values.items())


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return csv_cell(value) if isinstance(value, str) else str(value)


def to_json(reports: Iterable[Report], micro_runs: Iterable[MicroRun] = ()) -> str:
    """Return every run with its cells and with what applies to all of it, and every run of micro-benchmarks."""
    runs, micro = [_run(one) for one in reports], [_micro_run(one) for one in micro_runs]
    return _dumped({"schema_version": SCHEMA_VERSION, "runs": runs, "micro_runs": micro})


def _dumped(content: object) -> str:
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


def to_trend(cells: Iterable[Cell], *, is_of_costs: bool) -> str:
    """Return what the GitHub action `github-action-benchmark` reads as a custom benchmark: RPS, or what is paid for it.

    A file has one direction: `customBiggerIsBetter` for rates, `customSmallerIsBetter` for CPU per command and, with a
    rate, response times.
    """
    costs = {
        RATIO_NAMES[key]: (metric, metrics()[metric].unit) for key, (metric, one) in COMPARED.items() if one.is_cost
    }
    points = []
    for cell, measured in ((cell, cell.measured) for cell in cells if cell.measured is not None):
        if is_of_costs:
            points += [
                _point(cell, f": {name}", {US: "us/command"}.get(unit, unit), round(value, 4))
                for name, (metric, unit) in costs.items()
                if (value := getattr(measured, metric)) is not None
                and (unit == US or (unit == "ms" and cell.shape.rate))
            ]
        else:
            spread = f"{measured.rps_min:.0f}..{measured.rps_max:.0f}"
            points.append(_point(cell, "", "commands/s", round(measured.rps_median, 1), range=spread))
    return _dumped(points)


def _point(cell: Cell, metric: str, unit: str, value: float, **more: str) -> dict[str, object]:
    lost = f"; {cell.rounds} of {cell.rounds_planned} rounds, {cell.slices_lost} slices lost" if cell.is_partial else ""
    extra = f"{cell.library} {cell.library_version or 'of unknown version'}, run {cell.run_id}{lost}"
    return {"name": line(cell_name(cell) + metric), "unit": unit, "value": value, **more, "extra": line(extra)}
