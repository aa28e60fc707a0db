"""`respmark import`, and reports of what was imported."""

import csv
import io
import json
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.results.store import RunFolder
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, planned_cell, true_record
from tests.cli.conftest import Command
from tests.imported.test_read import CSV
from tests.micro.builders import BENCHMARKDOTNET, JMH, jmh_entry, written

pytestmark = pytest.mark.usefixtures("starts_nothing")


@pytest.fixture
def imported(respmark: Command, tmp_path: Path) -> str:
    """Return the folder of imported micro-benchmarks."""
    assert respmark("import", "jmh", str(JMH), "--out", str(tmp_path / "micro")).code is ExitCode.OK
    return str(tmp_path / "micro")


@pytest.fixture
def measured(tmp_path: Path) -> str:
    """Return the folder of a run of trials."""
    folder = RunFolder.create(tmp_path / "trials")
    folder.write_manifest(make_manifest(run_id="trials", cells=[planned_cell(make_record(make_trial()))]))
    folder.record(true_record(make_trial(), 21_345))
    return str(tmp_path / "trials")


@pytest.mark.parametrize(("tool", "file"), [("jmh", JMH), ("benchmarkdotnet", BENCHMARKDOTNET)])
def test_a_file_becomes_a_run(respmark: Command, tmp_path: Path, tool: str, file: Path) -> None:
    """The file is kept beside what was made of it, and tables are shown as of any run."""
    finished = respmark("import", tool, str(file), "--out", str(tmp_path / "run"))
    assert (finished.code, finished.errors) == (ExitCode.OK, "")
    assert f"imported from {file.name}" in " ".join(finished.output.split())
    assert (tmp_path / "run" / "raw" / file.name).read_bytes() == file.read_bytes()
    assert max(map(len, respmark("report", str(tmp_path / "run")).output.splitlines())) <= 100


def test_the_wrong_tools_file_ends_with_2(respmark: Command, tmp_path: Path) -> None:
    """And leaves no folder."""
    finished = respmark("import", "jmh", str(BENCHMARKDOTNET), "--out", str(tmp_path / "run"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "is not a result file of JMH" in finished.errors
    assert not (tmp_path / "run").exists()


def test_an_empty_file_ends_with_2(respmark: Command, tmp_path: Path) -> None:
    """A run of nothing is none."""
    finished = respmark("import", "jmh", str(written(tmp_path, [])), "--out", str(tmp_path / "run"))
    assert (finished.code, "holds no benchmark" in finished.errors) == (ExitCode.INVALID_REQUEST, True)


def test_nothing_that_has_a_time_ends_with_3(respmark: Command, tmp_path: Path) -> None:
    """The rows are shown with their reasons all the same."""
    path = written(tmp_path, [jmh_entry(mode="ss")])
    finished = respmark("import", "jmh", str(path), "--out", str(tmp_path / "run"))
    assert finished.code is ExitCode.NOTHING_RAN
    assert "mode `ss`" in finished.output


def test_a_run_and_micro_benchmarks_report_together(respmark: Command, imported: str, measured: str) -> None:
    """In every form, in the order in which they are named."""
    output = respmark("report", measured, imported).output
    assert output.index("21,345") < output.index("micro-benchmarks micro")
    lines = respmark("report", measured, imported, "--format", "markdown").output.splitlines()
    assert [line for line in lines if line.startswith("# ")] == ["# respmark run trials", "# respmark micro micro"]
    content = json.loads(respmark("report", measured, imported, "--format", "json").output)
    assert (len(content["runs"]), len(content["micro_runs"])) == (1, 1)
    assert content["micro_runs"][0]["records"][0]["ns_per_command"] > 0


def test_csv_is_one_table(respmark: Command, imported: str, measured: str) -> None:
    """A micro-benchmark's row has its own columns filled, and the shared ones where they mean the same."""
    rows = list(csv.DictReader(io.StringIO(respmark("report", measured, imported, "--format", "csv").output)))
    assert rows[0]["rps_median"]
    assert not rows[0]["micro_time_ns_per_operation"]
    row = next(row for row in rows if row["micro_benchmark"].endswith("jedis.Batching.get") and row["depth"] == "100")
    assert (row["scenario"], row["client"], row["library_version"]) == ("batching", "jedis", "8.0.2")
    assert not row["rps_median"]
    operation, command = float(row["micro_time_ns_per_operation"]), float(row["micro_time_ns_per_command"])
    assert operation == pytest.approx(100 * command)
    assert float(row["micro_allocated_bytes_per_operation"]) > 0
    exchange = next(row for row in rows if "Exchange" in row["micro_benchmark"])
    assert (exchange["scenario"], exchange["depth"]) == ("", "")


def test_micro_benchmarks_alone_are_no_post_tables(respmark: Command, imported: str) -> None:
    """Every figure of the post is then not measured, and nothing breaks."""
    finished = respmark("report", imported, "--tables", "post")
    assert finished.code is ExitCode.OK
    assert "not measured" in finished.output


def test_a_load_generators_file_is_shown_as_foreign(respmark: Command, measured: str, tmp_path: Path) -> None:
    """In every form: without evidence, in a table and in columns of its own, and in no comparison."""
    file = tmp_path / "redis-benchmark.csv"
    file.write_text(CSV)
    finished = respmark("import", "redis-benchmark", str(file), "--out", str(tmp_path / "load"))
    assert (finished.code, finished.errors) == (ExitCode.OK, "")
    assert "foreign, without evidence" in finished.output
    assert (tmp_path / "load" / "raw" / file.name).read_text() == CSV
    folders = (measured, str(tmp_path / "load"))
    text = respmark("report", *folders).output
    assert text.index("21,345") < text.index("foreign, without evidence") < text.index("12,195")
    assert "12,195" in respmark("report", *folders, "--format", "markdown").output
    rows = list(csv.DictReader(io.StringIO(respmark("report", *folders, "--format", "csv").output)))
    assert [(row["imported_tool"], row["imported_command"], row["imported_rps"]) for row in rows] == [
        ("", "", ""),
        ("redis-benchmark", "SET", "12195.12"),
        ("redis-benchmark", "GET a", "11299.43"),
    ]
    assert {row["rps_median"] for row in rows[1:]} == {""}
    content = json.loads(respmark("report", *folders, "--format", "json").output)
    assert content["imported_runs"][0]["evidence"] is None
    assert len(content["imported_runs"][0]["records"]) == 2


def test_a_file_that_is_no_such_result_leaves_no_folder(respmark: Command, tmp_path: Path) -> None:
    """Nothing is half imported."""
    finished = respmark("import", "memtier", str(JMH), "--out", str(tmp_path / "load"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "is not a result file of memtier_benchmark" in finished.errors
    assert not (tmp_path / "load").exists()
