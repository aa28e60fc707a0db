"""Cells as OpenMetrics text, for trends in the user's own monitoring."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark.escaping import line
from respmark.results.manifest import Manifest
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import metrics
from respmark.statistics.metric import Gauge

STATES: Final = "respmark_cell_status"


def to_openmetrics(runs: Sequence[tuple[Manifest, Sequence[ReportCell]]]) -> str:
    """Return one gauge per figure, with a sample per cell; its time is when the run began.

    Every cell has `respmark_cell_status`, with the value 1; a cell without figures has nothing else.
    """
    lines: list[str] = []
    for key, metric in metrics().items():
        lines += _family(key, metric.gauge, runs) if metric.gauge else ()
    lines += _head(STATES, "What became of the cell, in the label status; partial: rounds or slices are lost.")
    lines += (
        _sample(STATES, manifest, cell, 1.0, status=str(cell.status), partial=str(cell.is_partial).lower())
        for manifest, cell in _cells(runs)
    )
    return "\n".join([*lines, "# EOF"]) + "\n"


def _cells(runs: Sequence[tuple[Manifest, Sequence[ReportCell]]]) -> Iterator[tuple[Manifest, ReportCell]]:
    for manifest, cells in runs:
        for cell in cells:
            yield manifest, cell


def _family(key: str, gauge: Gauge, runs: Sequence[tuple[Manifest, Sequence[ReportCell]]]) -> Iterator[str]:
    yield from _head(gauge.name, gauge.told)
    for manifest, cell in _cells(runs):
        if (figure := getattr(cell.measured, key, None)) is not None:
            yield _sample(gauge.name, manifest, cell, figure * gauge.scale)


def _head(name: str, told: str) -> list[str]:
    unit = [f"# UNIT {name} seconds"] if name.endswith("_seconds") else []
    return [f"# TYPE {name} gauge", *unit, f"# HELP {name} {told}"]


def _sample(name: str, manifest: Manifest, cell: ReportCell, value: float, **more: str) -> str:
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
    """Return a label's value with its backslashes, quotes and line feeds escaped."""
    return line(text).replace("\\", "\\\\").replace('"', '\\"')
