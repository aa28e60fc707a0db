"""One row a cell; the columns are a public interface (docs/results.md)."""

import csv
import io
from enum import StrEnum
from typing import Final

from respmark.statistics.cells import Cell

COLUMNS: Final = (
    *("scenario", "client", "library", "library_version", "language"),
    *("depth", "window", "form", "threads", "connections", "max_total", "max_idle", "processes"),
    *("rounds", "status", "reason", "operations", "rps_median", "rps_min", "rps_max"),
    *("client_cpu_percent", "client_cpu_us_per_command", "server_cpu_percent", "server_cpu_us_per_command"),
    *("other_cpu_percent", "commands_per_read", "connections_received", "hit_ratio", "sample_covers"),
    *("p50_ms", "p99_ms", "p999_ms", "max_ms", "bottleneck"),
    # Added since; new columns go to the end, so that a reader by position keeps working too.
    *("connections_open", "drift_percent", "peak_memory_bytes", "rounds_failed", "run_id"),
)
DECIMALS: Final = 6


def to_csv(cells: list[Cell]) -> str:
    """Return the header and one row a cell; an empty field means: does not apply."""
    output = io.StringIO()
    writer = csv.DictWriter(output, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_row(cell) for cell in cells)
    return output.getvalue()


def _row(cell: Cell) -> dict[str, str]:
    measured = {} if cell.measured is None else dict(cell.measured)
    values = {**dict(cell), **dict(cell.shape), **measured}
    return {name: _written(values.get(name)) for name in COLUMNS}


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return value.value if isinstance(value, StrEnum) else str(value)
