"""Cells and micro-benchmarks as JSON, with what applies to their whole run."""

import json
from collections.abc import Iterable
from typing import Any

from respmark.contract.base import SCHEMA_VERSION
from respmark.micro.model import MicroRun
from respmark.report.guidance import claim_json
from respmark.report.notes import caveats
from respmark.report.report import Report
from respmark.statistics.precision import precision_of


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
