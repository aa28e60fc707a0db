"""Cells and micro-benchmarks as JSON, with what applies to their whole run; and as the points of a trend."""

import json
from collections.abc import Iterable
from typing import Any

from respmark.contract.base import SCHEMA_VERSION
from respmark.escaping import line
from respmark.micro.model import MicroRun
from respmark.report.guidance import claim_json
from respmark.report.notes import caveats, cell_name
from respmark.report.report import Report
from respmark.statistics.blocks import precision_of
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import COMPARED, Measured


def to_json(reports: Iterable[Report], micro_runs: Iterable[MicroRun] = ()) -> str:
    """Return every run with its cells, and every run of micro-benchmarks."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "runs": list(map(_run, reports)),
        "micro_runs": list(map(_micro_run, micro_runs)),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    precision = precision_of(cell.comparison for cell in report.cells)
    return {
        "manifest": report.manifest.model_dump(mode="json"),
        "cells": [cell.model_dump(mode="json") for cell in report.cells],
        "careful": list(caveats(report.manifest, report.cells)),
        "precision": {name: one.model_dump(mode="json") for name, one in precision.items()},
        "version_changes": [change.model_dump(mode="json") for change in report.changes],
        "claims": [claim_json(one) for one in report.verdicts],
    }


def _micro_run(run: MicroRun) -> dict[str, Any]:
    records = [{**one.model_dump(mode="json"), "ns_per_command": one.ns_per_command} for one in run.records]
    return {**run.model_dump(mode="json", exclude={"records"}), "records": records}


def to_trend(cells: Iterable[ReportCell], *, is_of_costs: bool) -> str:
    """Return what the GitHub action `github-action-benchmark` reads as a custom benchmark: RPS, or CPU per command.

    A file has one direction: `customBiggerIsBetter` for rates, `customSmallerIsBetter` for what a command costs.
    """
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
