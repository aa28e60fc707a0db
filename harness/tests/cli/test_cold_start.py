"""`respmark cold-start`, and cold starts in other commands."""

import csv
import io
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.results.records import TrialRecord
from respmark.results.store import RunFolder
from tests.builders.records import laps, make_manifest, planned_cell
from tests.cli.conftest import Command
from tests.kinds.cold_start.builders import rounds


@pytest.mark.usefixtures("starts_nothing")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cold-start", "--starts", "0"), "--starts must be at least 1 (is 0)"),
        (("trace", "redis-py", "cold-start"), "a cold start is not shown on the wire"),
        (("conform", "redis-py", "--scenario", "cold-start"), "a cold start is not shown on the wire"),
        (
            ("bisect", "redis-py@4.6.0", "redis-py@8.1.0", "--scenario", "cold-start", "--metric", "rps"),
            "--metric rps: these scenarios have no such figure; they have: start, load",
        ),
    ],
)
def test_what_cannot_be_had_is_refused(respmark: Command, words: tuple[str, ...], said: str) -> None:
    """Before anything starts, with the reason."""
    finished = respmark(*words)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert said in " ".join(finished.errors.split())


def starts_run(folder: Path, *records: TrialRecord) -> str:
    """Write a run of cold starts; return its folder."""
    kept = RunFolder.create(folder)
    cells = list({one.cell_id: planned_cell(one) for one in records}.values())
    kept.write_manifest(make_manifest(cells=cells, clients=[one.client.name for one in cells], run_id=folder.name))
    for record in records:
        kept.append(record)
    return str(kept.folder)


def test_reports_and_comparisons_have_them(respmark: Command, tmp_path: Path) -> None:
    """In every format, with nothing of loops; between two runs, through the client that is the same in both."""
    usual = rounds("quick", 10, 11, 12)
    before = starts_run(tmp_path / "before", *usual, *rounds("other", 20, 21, 23))
    after = starts_run(tmp_path / "after", *usual, *rounds("other", 60, 61, 63))
    finished = respmark("report", before)
    assert finished.code is ExitCode.OK
    (row,) = (line.split() for line in finished.output.splitlines() if line.split()[:1] == ["quick"])
    assert row[:2] == ["quick", "54.5"]
    assert "commands/s" not in finished.output
    (first, _) = csv.DictReader(io.StringIO(respmark("report", before, "--format", "csv").output))
    assert first["start_ms"] == "54.5"
    assert "start B/A" in respmark("compare", before, after, "--format", "markdown").output
    finished = respmark("compare", before, after, "--fail-on", "5%")
    assert finished.code is ExitCode.SOME_FAILED
    assert "start regressed by more than 5 %" in finished.output


def test_a_run_of_two_kinds_has_the_figures_of_both(respmark: Command, tmp_path: Path) -> None:
    """Each in its tables, and in its columns of the CSV; what needs one kind says so."""
    folder = starts_run(tmp_path / "both", *rounds("quick", 10, 11), *laps("lib", 1000))
    output = respmark("report", folder, "--details").output
    assert "start ms" in output
    assert "RPS" in output
    first, second = csv.DictReader(io.StringIO(respmark("report", folder, "--format", "csv").output))
    assert [(row["client"], bool(row["rps_median"]), bool(row["start_ms"])) for row in (first, second)] == [
        ("lib", True, False),
        ("quick", False, True),
    ]
    finished = respmark("report", folder, "--format", "html", "--out", str(tmp_path / "page.html"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "one kind of trial" in finished.errors
