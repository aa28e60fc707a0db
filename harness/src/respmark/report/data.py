"""What reports have as data: CSV, with a row per cell, and JSON.

The columns of the CSV are a public interface (docs/reading-results.md).
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from pydantic_core import to_jsonable_python

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.trial import SHAPE_FIELDS
from respmark.escaping import csv_cell
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change
from respmark.figures.estimate import CONFIDENCE, Ratio
from respmark.figures.kind import FigureKind
from respmark.figures.precision import precision_of
from respmark.figures.ranking import cells_of
from respmark.figures.series import History, Point, Series, machine_of
from respmark.figures.threshold import Judged, Outcome, Threshold
from respmark.guidance.block import Absent, Found
from respmark.guidance.bound import JudgedBound, Rounds
from respmark.guidance.verdict import JudgedClaim, JudgedRatio, verdict_on
from respmark.micro.model import MicroRun
from respmark.report.guidance import command_of
from respmark.report.notes import caveats
from respmark.report.report import Report
from respmark.results.manifest import Manifest
from respmark.specs.names import name_parts
from respmark.specs.statements import BOUND_UNITS

FACTS: Final = (
    "run_id",
    *(one.name for one in fields(Cell) if one.name not in {"run", "is_library", "comparison", "change", "standing"}),
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
"""In the order in which they were added, so that readers by position keep working. A file has those of its kinds of
trial; metrics that are new since follow."""
GENERAL: Final = {*FACTS, *SHAPE_FIELDS, "baseline", "baseline_workload", "fastest", "fastest_of_language"}
"""What rows of every kind have."""
DECIMALS: Final = 6
HEAD: Final = {"schema_version": SCHEMA_VERSION, "confidence": CONFIDENCE}


def to_csv(cells: Sequence[Cell]) -> str:
    """Return the header, and one row per cell; an empty field does not apply."""
    output, names = io.StringIO(), columns(cell.run.kind for cell in cells)
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_written(row.get(name)) for name in names] for row in map(_row, cells))
    return output.getvalue()


def columns(kinds: Iterable[FigureKind]) -> list[str]:
    """Return the names of the columns: what a row is of, and the figures of these kinds with their ratios."""
    figures: dict[str, None] = {}
    for kind in dict.fromkeys(kinds):
        figures |= dict.fromkeys(key for key, metric in kind.metrics.items() if metric.in_csv)
        figures |= dict.fromkeys(_ratio_columns(kind.compared))
    known = [one for one in COLUMNS if one in GENERAL or one in figures]
    return list(dict.fromkeys([*known, *figures]))


def _row(cell: Cell) -> dict[str, object]:
    row = {**facts_of(cell), **dict(cell.shape), **(dict(cell.measured) if cell.measured else {})}
    if (found := cell.comparison) is not None:
        row |= {"baseline": found.base.client, "baseline_workload": found.base.workload}
        for name in found.kind.compared:
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
    return _text({"schema_version": SCHEMA_VERSION, "runs": runs, "micro_runs": micro})


def _text(found: object) -> str:
    return json.dumps(to_jsonable_python(found), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    return {
        "manifest": report.manifest,
        "cells": list(map(cell_json, report.cells)),
        "careful": list(caveats(report.manifest, report.cells)),
        "precision": precision_of(report.run.kind, (cell.comparison for cell in report.cells)),
        "version_changes": list(map(_version, report.changes)),
        "timelines": list(map(_releases, report.timelines)),
        "claims": list(map(_claim, report.verdicts)),
    }


def _micro_run(run: MicroRun) -> dict[str, Any]:
    records = [{**dict(one), "ns_per_command": one.ns_per_command} for one in run.records]
    return {**dict(run), "records": records}


def facts_of(cell: Cell) -> dict[str, Any]:
    """Return the facts of a cell by name."""
    return {name: getattr(cell, name) for name in FACTS if name != "native_core" or cell.native_core}


def cell_json(cell: Cell) -> dict[str, Any]:
    """Return a cell with how it compares."""
    comparison, change = (one and _to_baseline(one) for one in (cell.comparison, cell.change))
    return {**facts_of(cell), "comparison": comparison, "change": change, "standing": cell.standing}


def _to_baseline(change: Change) -> dict[str, Any]:
    base = change.base
    return {
        "baseline": base.cell_id,
        "baseline_client": base.client,
        "baseline_workload": base.workload,
        "baseline_server": base.server,
        **change.ratios,
    }


def _version(change: Change) -> dict[str, Any]:
    """Return a new version compared with an old one; workload and server are null if the run has only one."""
    new, old = ({"client": one.client, "version": one.library_version} for one in (change.new, change.base))
    cell = change.new
    return {
        "library": cell.library,
        "new": new,
        "old": old,
        "scenario": cell.scenario,
        "shape": cell.shape,
        "workload": cell.workload if cell.names_workload else None,
        "server": cell.server if cell.names_server else None,
        **change.ratios,
    }


def _releases(series: Series) -> dict[str, Any]:
    """Return the releases of a library in one use."""
    cell = series.cell
    return {
        "library": cell.library,
        "options": series.options,
        **cell.use._asdict(),
        "control": series.control,
        "releases": [_release(one) for one in series.points],
    }


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


def history_json(history: History) -> str:
    """Return clients over many runs as JSON."""
    series = [
        {"client": one.cell.client, **one.cell.use._asdict(), "points": [_run_point(point) for point in one.points]}
        for one in history.series
    ]
    return _text({**HEAD, "control": history.control, "series": series})


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


def comparison_json(
    before: Sequence[RunFigures], after: Sequence[RunFigures], changes: Sequence[Change], differing: Sequence[str]
) -> str:
    """Return both runs' names, what differs, and every change, as JSON; each run has its figures by kind of trial."""
    sides = [{cell.cell_id: cell_json(cell) for run in runs for cell in cells_of(run)} for runs in (before, after)]
    only_before, only_after = only_in(before, after)
    found = {
        "runs": [before[0].manifest.run_id, after[0].manifest.run_id],
        "differing": list(differing),
        "changes": [_change_json(one, *(side[one.new.cell_id] for side in sides)) for one in changes],
        "only_before": only_before,
        "only_after": only_after,
    }
    return _text(found)


def _change_json(change: Change, before: object, after: object) -> dict[str, Any]:
    base = change.base
    return {
        "cell_id": base.cell_id,
        "scenario": base.scenario,
        "shape": base.shape,
        "client": base.client,
        "before": before,
        "after": after,
        "ratios": apart(change),
        "control": change.control,
        "through_control": change.ratios,
    }


def only_in(before: Sequence[RunFigures], after: Sequence[RunFigures]) -> tuple[list[str], list[str]]:
    """Return the cells that only the first run has, and those that only the second has."""
    one, two = ([cell_id for run in runs for cell_id in run.by_id] for runs in (before, after))
    return [cell_id for cell_id in one if cell_id not in two], [cell_id for cell_id in two if cell_id not in one]


def apart(change: Change) -> dict[str, float]:
    """Return the second run's figures divided by the first's, by metric, without intervals."""
    one, two = change.base.measured, change.new.measured
    return {
        key: figure / other
        for key, metric in change.kind.metric_of.items()
        if one and two and (other := getattr(one, metric)) and (figure := getattr(two, metric)) is not None
    }


def regressions_json(manifests: Sequence[Manifest], judged: Sequence[Judged], threshold: Threshold) -> str:
    """Return all that was judged as one JSON document."""
    content = {
        **HEAD,
        "runs": [one.run_id for one in manifests],
        "metric": threshold.metric,
        "threshold": threshold.loss,
        "regressed": sum(one.outcome is Outcome.REGRESSED for one in judged),
        "changes": list(map(_judged_json, judged)),
    }
    return _text(content)


def _judged_json(one: Judged) -> dict[str, Any]:
    change = one.change
    return {
        "base": cell_json(change.base),
        "head": cell_json(change.new),
        "control": change.control,
        "ratios": {metric: change.ratios[metric] for metric in change.estimates},
        "outcome": one.outcome,
        "rounds_needed": one.rounds_needed,
    }


def verdicts_json(claims: Iterable[JudgedClaim], warnings: list[str]) -> str:
    """Return the verdicts as one JSON document, with warnings about the runs."""
    return _text({**HEAD, "warnings": warnings, "claims": list(map(_claim, claims))})


def _claim(one: JudgedClaim) -> dict[str, Any]:
    guidance, claim = one.guidance, one.claim
    return {
        "source": guidance.name,
        "title": guidance.title,
        "url": guidance.url,
        "section": claim.section,
        "id": claim.id,
        "gist": claim.gist,
        "verdict": one.verdict,
        "out_of_reach": claim.out_of_reach,
        "needs": claim.needs.model_dump(exclude_none=True),
        "conditions": claim.conditions.model_dump(mode="json", exclude_none=True),
        "lacking": one.lacking,
        "command": command_of([one]),
        "comparisons": [_ratio_json(claimed, guidance.versions) for claimed in one.ratios],
        "bounds": list(map(_bound_json, one.bounds)),
    }


def _bound_json(one: JudgedBound) -> dict[str, Any]:
    claimed, found = one.claimed, one.found
    rounds = None
    if isinstance(found, Rounds):
        rounds = {"run_id": found.run_id, "version": found.version, "rounds": list(found.values)}
    return {
        **claimed.model_dump(mode="json", exclude_none=True),
        "published": claimed.published,
        "unit": BOUND_UNITS.get(claimed.metric, ""),
        "verdict": verdict_on(one),
        "reason": found.reason if isinstance(found, Absent) else None,
        "measured_in": rounds,
    }


def _ratio_json(one: JudgedRatio, versions: dict[str, str]) -> dict[str, Any]:
    claimed, found = one.claimed, one.found
    low, high = one.interval or (None, None)
    libraries = {name_parts(side.client).base for side in (claimed.cell, claimed.against)}
    measured_in = None
    if isinstance(found, Found):
        names = {"run_id": found.run_id, "block": found.block}
        measured_in = {
            **names,
            "rounds": len(found.rounds),
            "versions": list(found.versions),
            "workloads": list(found.workloads),
            "servers": list(found.servers),
            "place": found.place,
            "rtt_ms": found.rtt_ms,
            "was_warm": found.was_warm,
        }
    return {
        **claimed.model_dump(mode="json", exclude_none=True),
        "published": claimed.published,
        "published_versions": {library: version for library, version in versions.items() if library in libraries},
        "verdict": one.verdict,
        "ratio": one.ratio,
        "low": low,
        "high": high,
        "rounds_needed": one.rounds_needed,
        "minutes_needed": one.minutes_needed,
        "reason": found.reason if isinstance(found, Absent) else None,
        "measured_in": measured_in,
    }
