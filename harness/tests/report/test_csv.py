"""What programs read: the CSV, a public interface, and JSON."""

import json

from syrupy.assertion import SnapshotAssertion

from respmark.figures.cells import ReportCell
from respmark.report.data import columns, to_csv, to_json
from respmark.report.report import Report
from respmark.results.manifest import Manifest


def test_the_csv_is_as_it_was(report: Report, snapshot: SnapshotAssertion) -> None:
    """Columns in their order, which readers by place rely on, and a row for every cell in the suite's order."""
    assert to_csv(report.cells) == snapshot
    assert len(set(columns())) == len(columns())
    assert to_csv([]) == ",".join(columns()) + "\n"


def test_json_has_every_run_with_its_cells(report: Report, snapshot: SnapshotAssertion) -> None:
    """Its keys are as they were, and manifest and cells parse as what they are."""
    content = json.loads(to_json([report, report]))
    assert content["schema_version"] == 2
    one, other = content["runs"]
    assert one == other
    assert Manifest.model_validate_json(json.dumps(one["manifest"])) == report.manifest
    cells = [ReportCell.model_validate_json(json.dumps(cell)) for cell in one["cells"]]
    assert [cell.model_dump() for cell in cells] == [cell.model_dump() for cell in report.cells]
    assert {key: one[key] for key in one if key != "manifest"} | {"cells": one["cells"][:2]} == snapshot
