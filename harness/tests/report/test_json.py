"""The JSON of reports."""

import json

from syrupy.assertion import SnapshotAssertion

from respmark.report.json import ReportedRun, to_json
from respmark.report.tables import Report
from respmark.results.manifest import Manifest
from respmark.statistics.cells import ReportCell


def test_runs_come_with_manifest_and_cells(report: Report) -> None:
    """Every run keeps what it was made on, and each cell parses as what it is."""
    content = json.loads(to_json([ReportedRun(report.manifest, report.cells), ReportedRun(report.manifest, [])]))
    assert content["schema_version"] == 2
    assert [len(run["cells"]) for run in content["runs"]] == [len(report.cells), 0]
    assert Manifest.model_validate_json(json.dumps(content["runs"][0]["manifest"])) == report.manifest
    cells = [ReportCell.model_validate_json(json.dumps(cell)) for cell in content["runs"][0]["cells"]]
    assert [cell.model_dump() for cell in cells] == [cell.model_dump() for cell in report.cells]


def test_the_whole_document(report: Report, snapshot: SnapshotAssertion) -> None:
    """The JSON of the run by hand is as it was."""
    assert to_json([ReportedRun(report.manifest, report.cells)]) == snapshot
