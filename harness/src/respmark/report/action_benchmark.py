"""Cells as the JSON that the GitHub action `github-action-benchmark` reads as a custom benchmark.

A file has one direction: `customSmallerIsBetter` for what a command costs, `customBiggerIsBetter` for rates.
"""

import json
from collections.abc import Iterable
from enum import StrEnum

from respmark.escaping import line
from respmark.report.notes import in_shape
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import COMPARED, Measured


class Direction(StrEnum):
    """Which of the action's two tools the file is for."""

    BIGGER = "bigger"
    SMALLER = "smaller"


def to_action_benchmark(cells: Iterable[ReportCell], direction: Direction) -> str:
    """Return one entry per measured cell and figure: RPS if bigger is better, CPU per command if smaller is."""
    entries = [
        entry for cell in cells if cell.measured is not None for entry in _entries(cell, cell.measured, direction)
    ]
    return json.dumps(entries, indent=1, allow_nan=False) + "\n"


def _entries(cell: ReportCell, measured: Measured, direction: Direction) -> list[dict[str, object]]:
    name = line(f"{cell.client} {cell.scenario}{in_shape(cell)}")
    lost = f"; {cell.rounds} of {cell.rounds_planned} rounds, {cell.slices_lost} slices lost" if cell.is_partial else ""
    extra = line(f"{cell.library} {cell.library_version or 'of unknown version'}, run {cell.run_id}{lost}")
    if direction is Direction.BIGGER:
        spread = f"{measured.rps_min:.0f}..{measured.rps_max:.0f}"
        value = round(measured.rps_median, 1)
        return [{"name": name, "unit": "commands/s", "value": value, "range": spread, "extra": extra}]
    return [
        {
            "name": f"{name}: {one.name}",
            "unit": "us/command",
            "value": round(getattr(measured, metric), 4),
            "extra": extra,
        }
        for metric, one in COMPARED.values()
        if one.is_cost
    ]
