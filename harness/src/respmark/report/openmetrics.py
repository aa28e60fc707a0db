"""Cells as OpenMetrics text, for trends in the user's own monitoring."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from respmark.escaping import line
from respmark.results.manifest import Manifest
from respmark.statistics.cells import Cell, Measured

Value = Callable[[Measured], float | None]
MICRO: Final = 1e-6
MILLI: Final = 1e-3
FAMILIES: Final[tuple[tuple[str, str, str, Value], ...]] = (
    ("respmark_commands_per_second", "", "Commands completed a second, median over rounds.", lambda m: m.rps_median),
    (
        "respmark_client_cpu_per_command_seconds",
        "seconds",
        "CPU of the client for one command, median over rounds.",
        lambda m: m.client_cpu_us_per_command * MICRO,
    ),
    (
        "respmark_server_cpu_per_command_seconds",
        "seconds",
        "CPU of the server for one command, median over rounds.",
        lambda m: m.server_cpu_us_per_command * MICRO,
    ),
    (
        "respmark_latency_p50_seconds",
        "seconds",
        "Median latency of what one sample covers.",
        lambda m: None if m.p50_ms is None else m.p50_ms * MILLI,
    ),
    (
        "respmark_latency_p99_seconds",
        "seconds",
        "99th percentile of the latency of what one sample covers.",
        lambda m: None if m.p99_ms is None else m.p99_ms * MILLI,
    ),
)
"""Name, unit, help and figure. Times are in seconds, as OpenMetrics wants them."""
STATES: Final = "respmark_cell_status"


def to_openmetrics(runs: Sequence[tuple[Manifest, Sequence[Cell]]]) -> str:
    """Return one gauge a figure, with a sample a cell; its time is when the run began.

    A cell without figures has only `respmark_cell_status`, which every cell has, with the value 1.
    """
    lines: list[str] = []
    for name, unit, told, value in FAMILIES:
        lines += _head(name, unit, told)
        lines += (
            _sample(name, manifest, cell, number)
            for manifest, cell in _cells(runs)
            if cell.measured is not None and (number := value(cell.measured)) is not None
        )
    lines += _head(STATES, "", "What became of the cell, in the label status; partial: rounds or slices are lost.")
    lines += (
        _sample(STATES, manifest, cell, 1.0, status=str(cell.status), partial=str(cell.is_partial).lower())
        for manifest, cell in _cells(runs)
    )
    return "\n".join([*lines, "# EOF"]) + "\n"


def _cells(runs: Sequence[tuple[Manifest, Sequence[Cell]]]) -> Iterator[tuple[Manifest, Cell]]:
    for manifest, cells in runs:
        for cell in cells:
            yield manifest, cell


def _head(name: str, unit: str, told: str) -> list[str]:
    return [f"# TYPE {name} gauge", *([f"# UNIT {name} {unit}"] if unit else []), f"# HELP {name} {told}"]


def _sample(name: str, manifest: Manifest, cell: Cell, value: float, **more: str) -> str:
    shape = cell.shape.model_dump(mode="json", exclude_none=True)
    labels = {
        "run": cell.run_id,
        "client": cell.client,
        "library": cell.library,
        "library_version": cell.library_version or "",
        "language": cell.language,
        "scenario": str(cell.scenario),
        **{name: str(value) for name, value in shape.items()},
        "block": cell.block or "",
        "workload": cell.workload,
        "target": manifest.target.version,
        **more,
    }
    written = ",".join(f'{key}="{_label(text)}"' for key, text in labels.items() if text)
    return f"{name}{{{written}}} {value!r} {manifest.started_at.timestamp():.3f}"


def _label(text: str) -> str:
    """Return a label's value, whose backslashes, quotes and line feeds are escaped."""
    return line(text).replace("\\", "\\\\").replace('"', '\\"')
