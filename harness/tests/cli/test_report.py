"""`respmark report`: from files alone."""

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

from respmark.cli.report import WRITERS, Format, Shown
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode
from respmark.guidance.verdict import verdicts_of
from respmark.report.guidance import verdicts_json
from respmark.report.html.picture import script
from respmark.results.store import RunFolder
from tests.builders.plan import SHIPPED, make_trial
from tests.builders.records import make_manifest, make_record, planned_cell, true_record
from tests.cli.conftest import Command
from tests.guidance.builders import compared_run

pytestmark = pytest.mark.usefixtures("starts_nothing")


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Return the folders of two runs."""
    trials = [make_trial(), make_trial(Scenario.BATCHING, Shape(depth=10))]
    for name in ("first", "second"):
        folder = RunFolder.create(tmp_path / name)
        folder.write_manifest(make_manifest(run_id=name, cells=[planned_cell(make_record(trial)) for trial in trials]))
        folder.append(true_record(trials[0], 21_345))
        folder.append(true_record(trials[1], 50_000))
    return [str(tmp_path / "first"), str(tmp_path / "second")]


def test_tables_are_the_usual_form(respmark: Command, runs: list[str]) -> None:
    """Into a pipe they are at most 100 columns wide."""
    finished = respmark("report", runs[0])
    assert finished.code is ExitCode.OK
    assert finished.errors == ""
    assert "21,345" in finished.output
    assert max(map(len, finished.output.splitlines())) <= 100


def test_csv_has_a_row_a_cell_of_every_run(respmark: Command, runs: list[str]) -> None:
    """One header serves all runs, whose names are in the rows."""
    rows = list(csv.DictReader(io.StringIO(respmark("report", *runs, "--format", "csv").output)))
    assert [(row["run_id"], row["scenario"]) for row in rows] == [
        ("first", "sync"),
        ("first", "batching"),
        ("second", "sync"),
        ("second", "batching"),
    ]


def test_json_is_one_document(respmark: Command, runs: list[str]) -> None:
    """All runs are in it."""
    content = json.loads(respmark("report", *runs, "--format", "json").output)
    assert [run["manifest"]["run_id"] for run in content["runs"]] == ["first", "second"]


def test_markdown_has_a_chapter_a_run(respmark: Command, runs: list[str]) -> None:
    """And a section a scenario."""
    lines = respmark("report", *runs, "--format", "markdown").output.splitlines()
    assert [line for line in lines if line.startswith(("# ", "## "))] == [
        "# respmark run first",
        "## the answer",
        "## sync",
        "## batching",
        "## published advice",
        "# respmark run second",
        "## the answer",
        "## sync",
        "## batching",
        "## published advice",
    ]


def test_reports_have_the_verdicts_of_a_run() -> None:
    """All of them in JSON, as `verdict` has them; the claims that it measured as a chapter of Markdown."""
    run = compared_run(2.0).run
    (told,) = json.loads(str(WRITERS[Format.JSON](Shown((run,)))))["runs"]
    alone = json.loads(verdicts_json(verdicts_of(run, SHIPPED), []))["claims"]
    assert told["claims"] == alone
    verdicts = {claim["id"]: claim["verdict"] for claim in alone}
    assert (verdicts["latency-bounds-sync"], verdicts["redis-py-hiredis"]) == ("does not hold", "not measured")
    text = str(WRITERS[Format.MARKDOWN](Shown((run,))))
    assert "Published advice: 0 holds, 1 does not hold" in text[: text.index("## sync")]
    advice = text[text.index("## published advice") :]
    assert "| **does not hold** A synchronous client" in advice
    assert "(`redis-py-hiredis`)" not in advice
    assert "--claim redis-py-hiredis" in advice


def test_the_same_files_make_the_same_report(respmark: Command, runs: list[str]) -> None:
    """Any report can be made again."""
    for written in ("terminal", "markdown", "csv", "json"):
        words = ("report", runs[0], "--format", written)
        assert respmark(*words).output == respmark(*words).output


def test_a_file_that_does_not_read_ends_with_2(respmark: Command, runs: list[str]) -> None:
    """No half of a report is printed."""
    Path(runs[1], "trials.jsonl").write_text("{\n")
    finished = respmark("report", *runs, "--format", "csv")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert finished.output == ""
    assert "does not read" in finished.errors


POST = ("--tables", "post", "--across", "workload")


def test_the_posts_tables_are_for_people(respmark: Command, runs: list[str]) -> None:
    """In a terminal and in Markdown; the other forms are refused, not made of something else."""
    assert "# The post's tables" in respmark("report", *runs, *POST, "--format", "markdown").output
    assert "Jedis: batching" in respmark("report", runs[0], *POST).output
    for written in ("csv", "json"):
        finished = respmark("report", runs[0], *POST, "--format", written)
        assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
        assert f"terminal or markdown, not {written}" in finished.errors


def test_another_workload_does_not_fill_the_posts_tables_silently(respmark: Command, runs: list[str]) -> None:
    """It is refused, with what to do; where it was asked for, the tables say so."""
    finished = respmark("report", runs[0], "--tables", "post")
    assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
    assert "run first has workload tiny, the post's is post" in finished.errors
    assert "--across workload" in finished.errors
    told = " ".join(respmark("report", runs[0], *POST).output.split())
    assert "warning: run first has workload tiny, the post's is post" in told


def test_runs_that_are_not_alike_do_not_share_the_posts_tables(respmark: Command, runs: list[str]) -> None:
    """What differs is named."""
    spec = make_manifest().workload | {"preload_keys": 9}
    manifest = make_manifest(run_id="second", workload=spec, workload_sha256="11")
    Path(runs[1], "manifest.json").write_text(manifest.model_dump_json())
    finished = respmark("report", *runs, "--tables", "post")
    assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
    assert "first and second are not alike: workload: tiny and tiny differ in preload_keys" in finished.errors


def test_details_are_on_demand(respmark: Command, runs: list[str]) -> None:
    """The summary names each scenario once; the tables have every client, sorted, against the baseline asked for."""
    summary, details = respmark("report", runs[0]).output, respmark("report", runs[0], "--details").output
    assert "respmark report RUN --details" in summary
    assert "p50/p99 ms" not in summary
    assert "p50/p99 ms" in details
    finished = respmark("report", runs[0], "--details", "--baseline", "nobody")
    assert (finished.code, "no such client" in finished.errors) == (ExitCode.INVALID_REQUEST, True)


@pytest.fixture(scope="session")
def bundle() -> None:
    """Make what every page has in it, which a checkout does once, in a process of its own."""
    script()


@pytest.mark.usefixtures("bundle")
def test_html_is_one_page_in_a_file(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    """Nothing is printed."""
    out = tmp_path / "report.html"
    finished = respmark("report", runs[0], "--format", "html", "--out", str(out))
    assert (finished.code, finished.output, finished.errors) == (ExitCode.OK, "", "")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_html_is_of_one_run(respmark: Command, runs: list[str]) -> None:
    """Two are refused: a page has one machine and one workload."""
    finished = respmark("report", *runs, "--format", "html")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "--format html is of one run of trials" in " ".join(finished.errors.split())


@pytest.mark.parametrize(("written", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_chart_is_a_picture(respmark: Command, runs: list[str], tmp_path: Path, written: str, begins: bytes) -> None:
    """In a file; an SVG can be printed, too."""
    out = tmp_path / "chart"
    finished = respmark("report", runs[0], "--format", written, "--chart", "frontier", "--out", str(out))
    assert (finished.code, finished.output, finished.errors) == (ExitCode.OK, "", "")
    assert out.read_bytes().startswith(begins)


def test_parquet_is_the_table_of_slices(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    """As other tools read it."""
    out = tmp_path / "slices.parquet"
    assert respmark("report", runs[0], "--format", "parquet", "--out", str(out)).code is ExitCode.OK
    assert pl.read_parquet(out)["operations"].to_list() == [21_345, 50_000]


def test_options_of_a_picture_are_refused_elsewhere(respmark: Command, runs: list[str]) -> None:
    """A PNG needs a file; a table has no chart."""
    for words, told in {
        ("--format", "png"): "name the file to write with --out",
        ("--format", "csv", "--use", "sync"): "--chart and --use are for a picture",
        ("--format", "svg", "--use", "nothing"): "chart `forest` has nothing of it; the run has: ",
    }.items():
        finished = respmark("report", runs[0], *words)
        assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
        assert told in " ".join(finished.errors.split())


def test_a_terminals_tables_are_not_for_a_file(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    """They hang on its width."""
    finished = respmark("report", runs[0], "--out", str(tmp_path / "out"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "--out is for" in finished.errors
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_written_is_told(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    """With its name and the reason."""
    finished = respmark("report", runs[0], "--format", "csv", "--out", str(tmp_path / "no" / "out"))
    assert finished.code is ExitCode.NOT_WRITTEN
    assert "No such file" in " ".join(finished.errors.split())
