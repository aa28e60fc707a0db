"""`respmark compare`: two runs, from files alone."""

import json
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.results.manifest import WorkloadDescription
from respmark.results.store import RunFolder
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, planned_cell, true_record
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("starts_nothing")


def written(folder: Path, operations: int, **changes: object) -> str:
    run = RunFolder.create(folder)
    cells = [planned_cell(make_record(make_trial()))]
    run.write_manifest(make_manifest(run_id=folder.name, cells=cells, clients=["lib"], rounds=1, **changes))
    run.append(true_record(make_trial(), operations))
    return str(folder)


def test_two_runs_stand_side_by_side(respmark: Command, tmp_path: Path) -> None:
    """With both figures, their ratio, and that it has no interval."""
    runs = written(tmp_path / "monday", 20_000), written(tmp_path / "friday", 30_000)
    finished = respmark("compare", *runs)
    assert (finished.code, finished.errors) == (ExitCode.OK, "")
    (line,) = [line for line in finished.output.splitlines() if line.startswith("lib")]
    assert line.split()[:4] == ["lib", "20,000", "30,000", "1.50"]
    assert "no interval, and no difference is claimed" in " ".join(finished.output.split())
    assert max(map(len, finished.output.splitlines())) <= 100
    assert "| `lib` | 20,000 | 30,000 | 1.50 |" in respmark("compare", *runs, "--format", "markdown").output
    content = json.loads(respmark("compare", *runs, "--format", "json").output)
    assert content["runs"] == ["monday", "friday"]
    assert content["changes"][0]["ratios"]["rps"] == pytest.approx(1.5)


def test_another_workload_is_refused_unless_allowed(respmark: Command, tmp_path: Path) -> None:
    """What differs is named; allowed, it stands above the tables."""
    specs = [{"name": "tiny", "summary": "x", "commands": 60, "preload_keys": keys} for keys in (8, 9)]
    runs = [
        written(tmp_path / name, 20_000, workloads={"tiny": WorkloadDescription(spec=spec, sha256=name)})
        for name, spec in zip(("a", "b"), specs, strict=True)
    ]
    finished = respmark("compare", *runs)
    assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
    assert (
        "different workloads, so their figures cannot be compared: tiny and tiny differ in preload_keys"
        in finished.errors
    )
    allowed = respmark("compare", *runs, "--across", "workload")
    assert allowed.code is ExitCode.OK
    assert "note: a and b differ in workload" in allowed.output
