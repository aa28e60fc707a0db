"""What programs read: the CSV, a public interface, and JSON."""

import json

from syrupy.assertion import SnapshotAssertion

from respmark.cli.report import content
from respmark.figures.cells import RunFigures
from respmark.kinds.loops.kind import LOOPS
from respmark.report.data import columns, to_csv, to_json
from respmark.report.report import Report
from respmark.results.manifest import Manifest
from tests.builders.plan import SHIPPED


def test_the_csv_is_as_it_was(report: Report, snapshot: SnapshotAssertion) -> None:
    """Columns in their order, which readers by place rely on, and a row for every cell in the suite's order."""
    assert to_csv(report.cells) == snapshot
    names = columns([LOOPS])
    assert len(set(names)) == len(names)
    assert to_csv(report.cells).startswith(",".join(names) + "\n")


def test_no_claim_is_judged_for_the_csv(run: RunFigures) -> None:
    report = Report(run, SHIPPED.scenarios, claims=SHIPPED)
    assert content("csv", [report], (), SHIPPED)
    assert "verdicts" not in vars(report)


def test_json_has_every_run_with_its_cells(report: Report, snapshot: SnapshotAssertion) -> None:
    """Its keys are as they were, and the manifest parses as what it is."""
    content = json.loads(to_json([report, report]))
    assert content["schema_version"] == 2
    one, other = content["runs"]
    assert one == other
    assert Manifest.model_validate_json(json.dumps(one["manifest"])) == report.manifest
    assert {key: one[key] for key in one if key != "manifest"} | {"cells": one["cells"][:2]} == snapshot
