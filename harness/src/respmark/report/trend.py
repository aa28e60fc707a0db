"""Cells as the JSON that the GitHub action `github-action-benchmark` reads as a custom benchmark.

A file has one direction: `customSmallerIsBetter` for what a command costs, `customBiggerIsBetter` for rates.
"""

import json
from collections.abc import Iterable

from respmark.escaping import line
from respmark.report.notes import cell_name
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import COMPARED, Measured


def to_trend(cells: Iterable[ReportCell], *, is_of_costs: bool) -> str:
    """Return one entry per measured cell and figure: RPS, or CPU per command."""
    entries = _costs if is_of_costs else _rates
    found = [entry for cell in cells if cell.measured is not None for entry in entries(cell, cell.measured)]
    return json.dumps(found, indent=1, allow_nan=False) + "\n"


def _rates(cell: ReportCell, measured: Measured) -> list[dict[str, object]]:
    spread = f"{measured.rps_min:.0f}..{measured.rps_max:.0f}"
    entry = {"name": line(cell_name(cell)), "unit": "commands/s", "value": round(measured.rps_median, 1)}
    return [{**entry, "range": spread, "extra": _extra(cell)}]


def _costs(cell: ReportCell, measured: Measured) -> list[dict[str, object]]:
    return [
        {
            "name": line(f"{cell_name(cell)}: {one.name}"),
            "unit": "us/command",
            "value": round(getattr(measured, metric), 4),
            "extra": _extra(cell),
        }
        for metric, one in COMPARED.values()
        if one.is_cost
    ]


def _extra(cell: ReportCell) -> str:
    lost = f"; {cell.rounds} of {cell.rounds_planned} rounds, {cell.slices_lost} slices lost" if cell.is_partial else ""
    return line(f"{cell.library} {cell.library_version or 'of unknown version'}, run {cell.run_id}{lost}")
