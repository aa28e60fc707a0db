"""Cells and micro-benchmarks as JSON, with what applies to their whole run."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from respmark.contract.base import SCHEMA_VERSION
from respmark.guidance.verdict import JudgedClaim
from respmark.micro.model import MicroRun
from respmark.report.caveats import careful
from respmark.report.guidance_json import claim_json
from respmark.results.manifest import Manifest
from respmark.statistics.cells import ReportCell
from respmark.statistics.precision import precision_of
from respmark.statistics.versions import VersionChange


@dataclass(frozen=True)
class ReportedRun:
    """What is reported about a run."""

    manifest: Manifest
    cells: Sequence[ReportCell]
    changes: Sequence[VersionChange] = ()
    verdicts: Sequence[JudgedClaim] = ()


def to_json(runs: Iterable[ReportedRun], micro_runs: Iterable[MicroRun] = ()) -> str:
    """Return every run with its cells, and every run of micro-benchmarks."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "runs": [
            {
                "manifest": run.manifest.model_dump(mode="json"),
                "cells": [cell.model_dump(mode="json") for cell in run.cells],
                "careful": list(careful(run.manifest, run.cells)),
                "precision": {
                    name: one.model_dump(mode="json")
                    for name, one in precision_of(cell.comparison for cell in run.cells).items()
                },
                "version_changes": [change.model_dump(mode="json") for change in run.changes],
                "claims": [claim_json(one) for one in run.verdicts],
            }
            for run in runs
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
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
