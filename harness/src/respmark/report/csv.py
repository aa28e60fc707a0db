"""One row a cell or micro-benchmark; the columns are a public interface (docs/results.md)."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Final

from respmark.escaping import csv_cell
from respmark.imported.model import ImportedRecord, ImportedRun
from respmark.micro.model import Measured as MicroMeasured
from respmark.micro.model import MicroRecord, MicroRun
from respmark.statistics.blocks import Comparison
from respmark.statistics.cells import Cell
from respmark.statistics.ranking import Standing

COLUMNS: Final = (
    *("scenario", "client", "library", "library_version", "language"),
    *("depth", "window", "form", "threads", "connections", "max_total", "max_idle", "processes"),
    *("rounds", "status", "reason", "operations", "rps_median", "rps_min", "rps_max"),
    *("client_cpu_percent", "client_cpu_us_per_command", "server_cpu_percent", "server_cpu_us_per_command"),
    *("other_cpu_percent", "commands_per_read", "connections_received", "hit_ratio", "sample_covers"),
    *("p50_ms", "p99_ms", "p999_ms", "max_ms", "bottleneck"),
    # Added since; new columns go to the end, so that a reader by position keeps working too.
    *("connections_open", "drift_percent", "peak_memory_bytes", "rounds_failed", "run_id"),
    # Of micro-benchmarks only.
    *("micro_tool", "micro_tool_version", "micro_benchmark", "micro_operation", "micro_parameters"),
    *("micro_time_ns_per_operation", "micro_error_ns", "micro_error_is", "micro_commands_per_operation"),
    *("micro_time_ns_per_command", "micro_allocated_bytes_per_operation", "micro_gc_count", "micro_gc_time_ms"),
    *("micro_gc_per_1000_operations", "micro_forks", "micro_iterations", "micro_threads"),
    # Of cells again.
    *("baseline", "rps_ratio", "rps_ratio_low", "rps_ratio_high"),
    *("client_cpu_ratio", "client_cpu_ratio_low", "client_cpu_ratio_high"),
    *("server_cpu_ratio", "server_cpu_ratio_low", "server_cpu_ratio_high"),
    *("slices", "waiting_cpu_percent", "warmup_s"),
    *("client_thread_percent", "server_thread_percent", "stolen_percent"),
    *("rounds_planned", "slices_lost", "fastest", "fastest_of_language"),
    # Of what was imported from load generators only: columns of their own, for no server's counters back them.
    *("imported_tool", "imported_command", "imported_conditions", "imported_rps"),
    *("imported_mean_ms", "imported_p50_ms", "imported_p99_ms", "imported_p999_ms", "imported_max_ms"),
    # Of cells again.
    *("workload", "baseline_workload"),
)
DECIMALS: Final = 6


def to_csv(cells: list[Cell], micro_runs: Iterable[MicroRun] = (), imported_runs: Iterable[ImportedRun] = ()) -> str:
    """Return the header, one row a cell, a micro-benchmark or an import; an empty field means: does not apply."""
    output = io.StringIO()
    writer = csv.DictWriter(output, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_row(cell) for cell in cells)
    writer.writerows(_micro_row(run, record) for run in micro_runs for record in run.records)
    writer.writerows(_imported_row(run, record) for run in imported_runs for record in run.records)
    return output.getvalue()


def _row(cell: Cell) -> dict[str, str]:
    measured = {} if cell.measured is None else dict(cell.measured)
    values = {**dict(cell), **dict(cell.shape), **measured, **_ratios(cell.comparison), **_standing(cell.standing)}
    return {name: _written(values.get(name)) for name in COLUMNS}


def _ratios(comparison: Comparison | None) -> dict[str, object]:
    if comparison is None:
        return {}
    metrics = {"rps": comparison.rps, "client_cpu": comparison.client_cpu, "server_cpu": comparison.server_cpu}
    found: dict[str, object] = {
        "baseline": comparison.baseline_client,
        "baseline_workload": comparison.baseline_workload,
    }
    for name, ratio in metrics.items():
        found |= {f"{name}_ratio": ratio.value, f"{name}_ratio_low": ratio.low, f"{name}_ratio_high": ratio.high}
    return found


def _standing(standing: Standing | None) -> dict[str, object]:
    """Return who is among the fastest; nothing where there are no intervals, and so nothing is claimed."""
    if standing is None or not standing.is_claimed:
        return {}
    words = {True: "yes", False: "no"}
    return {"fastest": words[standing.is_fastest], "fastest_of_language": words[standing.is_fastest_of_language]}


def _micro_row(run: MicroRun, record: MicroRecord) -> dict[str, str]:
    values: dict[str, object] = {
        **(dict(record.shape) if record.shape else {}),
        "scenario": record.scenario,
        "client": record.library,
        "library": record.library,
        "library_version": record.library_version,
        "language": record.language,
        "status": record.status,
        "reason": record.reason,
        "run_id": run.run_id,
        "micro_tool": run.tool.name,
        "micro_tool_version": run.tool.version,
        "micro_benchmark": record.benchmark,
        "micro_operation": record.operation or None,
        "micro_parameters": _pairs(record.parameters),
        "micro_commands_per_operation": record.commands,
        "micro_time_ns_per_command": record.ns_per_command,
        **_micro_figures(record.measured),
    }
    return {name: _written(values.get(name)) for name in COLUMNS}


def _imported_row(run: ImportedRun, record: ImportedRecord) -> dict[str, str]:
    values: dict[str, object] = {
        "client": record.client,
        "library_version": record.client_version,
        "run_id": run.run_id,
        "imported_tool": str(run.tool),
        "imported_command": record.command,
        "imported_conditions": _pairs(record.conditions),
        "imported_rps": record.rps,
        **{f"imported_{name}": getattr(record, name) for name in ("mean_ms", "p50_ms", "p99_ms", "p999_ms", "max_ms")},
    }
    return {name: _written(values.get(name)) for name in COLUMNS}


def _micro_figures(measured: MicroMeasured | None) -> dict[str, object]:
    if measured is None:
        return {}
    return {
        "micro_time_ns_per_operation": measured.time_ns,
        "micro_error_ns": measured.error_ns,
        "micro_error_is": measured.error_is,
        "micro_allocated_bytes_per_operation": measured.allocated_bytes,
        "micro_gc_count": measured.collections.count,
        "micro_gc_time_ms": measured.collections.time_ms,
        "micro_gc_per_1000_operations": _pairs(measured.collections.per_1000_operations),
        "micro_forks": measured.forks,
        "micro_iterations": measured.iterations,
        "micro_threads": measured.threads,
    }


def _pairs(values: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_written(value)}" for name, value in values.items())


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return csv_cell(value) if isinstance(value, str) else str(value)
