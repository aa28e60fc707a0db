"""`respmark history`: many runs, from files alone."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.results.store import RunFolder
from tests.builders.records import MORNING, laps, make_manifest, planned_cell
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("starts_nothing")


def run_of(folder: Path, day: int, operations: int, control: str = "same") -> str:
    records = [*laps(control, 1000), *laps("new", operations)]
    run, cells = RunFolder.create(folder), {record.cell_id: planned_cell(record) for record in records}
    started = {"run_id": folder.name, "started_at": MORNING + timedelta(days=day)}
    run.write_manifest(make_manifest(cells=list(cells.values()), clients=[control, "new"], rounds=4, **started))
    for record in records:
        run.append(record)
    return str(folder)


def test_the_runs_of_many_days_are_followed(respmark: Command, tmp_path: Path) -> None:
    """In a terminal, as JSON, and as a picture; the control is named."""
    runs = [run_of(tmp_path / f"day-{day}", day, operations) for day, operations in enumerate((1000, 500, 500))]
    finished = respmark("history", *runs)
    assert finished.code is ExitCode.OK
    assert "3 runs; ratios to same; 1 step" in " ".join(finished.output.split())
    assert "worse: 0.50" in finished.output
    found = json.loads(respmark("history", *runs, "--format", "json").output)
    assert [one["run_id"] for one in found["series"][0]["points"]] == ["day-0", "day-1", "day-2"]
    drawn = tmp_path / "history.svg"
    assert respmark("history", *runs, "--out", str(drawn)).code is ExitCode.OK
    assert "ratios to same over 3 runs" in drawn.read_text()
    refused = respmark("history", *runs, "--out", str(tmp_path / "history.html"))
    assert (refused.code, "ends in .svg or .png" in refused.errors) == (ExitCode.INVALID_REQUEST, True)


def test_a_control_is_named_by_its_library(respmark: Command, tmp_path: Path) -> None:
    """As in `--client`; where several clients are of it, one must be named."""
    runs = [run_of(tmp_path / f"day-{day}", day, 1000, "same@8.1.0") for day in range(2)]
    assert (
        json.loads(respmark("history", *runs, "--control", "same", "--format", "json").output)["control"]
        == "same@8.1.0"
    )


def test_a_single_client_cannot_be_followed(respmark: Command, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 1, 1000)
    finished = respmark("history", run, "--control", "nobody")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "--control nobody: no such client in these runs; there are: same, new" in finished.errors
