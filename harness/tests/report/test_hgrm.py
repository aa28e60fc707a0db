"""Percentile files are those that HdrHistogram writes itself."""

import io
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram

from respmark.cli.app import run_command
from respmark.errors import ExitCode
from respmark.histogram import bucket
from respmark.paths import RESULTS
from respmark.report.hgrm import percentile_files
from respmark.results.records import Status
from tests.builders.plan import make_trial
from tests.builders.records import make_latency, make_record, make_result, make_run, unmeasured

PAIRS = [(bucket(1000 * number**3), 1 + 977 // number) for number in range(1, 60)]


def rows(text: str) -> list[list[float]]:
    """Return the numbers of a file's rows."""
    lines = (line.split() for line in text.splitlines()[2:] if not line.startswith("#"))
    return [list(map(float, line)) for line in lines if "inf" not in line]


def test_rows_are_those_of_the_library() -> None:
    """Value, percentile and count of every row."""
    library, output = HdrHistogram(1, 10**12, 3), io.BytesIO()
    for value_ns, count in PAIRS:
        library.record_value(value_ns, count)
    library.output_percentile_distribution(output, 1e6)
    ((_, text),) = percentile_files(make_run(make_record(results=[make_result(latency=make_latency(PAIRS))])))
    (*ours, last), theirs = rows(text), rows(output.getvalue().decode())
    assert len(ours) > 50
    for row, expected in zip(ours, theirs, strict=False):
        assert row == pytest.approx(expected, abs=0.006)
    assert last == pytest.approx(theirs[-1], abs=1e-3)
    assert last[1:] == [1, sum(count for _, count in PAIRS)]


def test_all_good_rounds_of_a_cell_are_one_file() -> None:
    """What failed has no latencies that count."""
    rounds = [make_record(make_trial(number=number)) for number in (1, 2)]
    run = make_run(*rounds, unmeasured(Status.FAILED, "lost", make_trial(number=3)))
    ((name, text),) = percentile_files(run)
    assert name == "lib--sync.hgrm"
    assert rows(text)[-1][2] == 2000


def test_files_are_written_into_a_folder(tmp_path: Path) -> None:
    """One a cell that has figures."""
    run = str(RESULTS / "published" / "quick")
    assert run_command(["report", run, "--format", "hgrm", "--out", str(tmp_path / "made")]) is ExitCode.OK
    assert "redis-py--sync.hgrm" in {path.name for path in (tmp_path / "made").iterdir()}


def test_a_folder_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Many files do not go to standard output."""
    code = run_command(["report", str(RESULTS / "published" / "quick"), "--format", "hgrm"])
    assert code is ExitCode.INVALID_REQUEST
    assert "--out" in capsys.readouterr().err
