"""Cells and micro-benchmarks as JSON, with what stands above them."""

import json
from collections.abc import Iterable

from respmark.contract.base import SCHEMA_VERSION
from respmark.imported.model import ImportedRun
from respmark.micro.model import MicroRun
from respmark.report.answer import careful
from respmark.results.manifest import Manifest
from respmark.statistics.cells import Cell
from respmark.statistics.precision import precision_of


def to_json(
    runs: list[tuple[Manifest, list[Cell]]],
    micro_runs: Iterable[MicroRun] = (),
    imported_runs: Iterable[ImportedRun] = (),
) -> str:
    """Return every run with its cells, every run of micro-benchmarks, and what was imported of load generators."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "runs": [
            {
                "manifest": manifest.model_dump(mode="json"),
                "cells": [cell.model_dump(mode="json") for cell in cells],
                "careful": list(careful(manifest, cells)),
                "precision": {
                    name: one.model_dump(mode="json")
                    for name, one in precision_of(cell.comparison for cell in cells).items()
                },
            }
            for manifest, cells in runs
        ],
        "micro_runs": [
            {
                **run.model_dump(mode="json", exclude={"records"}),
                "records": [
                    {**record.model_dump(mode="json"), "ns_per_command": record.ns_per_command}
                    for record in run.records
                ],
            }
            for run in micro_runs
        ],
        "imported_runs": [{**run.model_dump(mode="json"), "evidence": None} for run in imported_runs],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
