"""`respmark report`: from files alone."""

import json
from pathlib import Path

import pytest

from respmark.cli.report import content
from respmark.errors import ExitCode
from respmark.guidance.verdict import verdicts_of
from respmark.micro.model import MICRO
from respmark.report.data import verdicts_json
from respmark.report.html.page import vega
from respmark.report.report import Report
from respmark.results.store import write_model
from tests.builders.plan import SHIPPED
from tests.builders.records import make_server_description
from tests.cli.conftest import Command
from tests.guidance.builders import compared_run
from tests.micro.builders import make_micro_record, make_micro_run

pytestmark = pytest.mark.usefixtures("starts_nothing")


def test_reports_have_the_verdicts_of_a_run() -> None:
    """All of them in JSON, as `verdict` has them; the claims that it measured as a chapter of Markdown."""
    there = make_server_description(spawned=False, address="10.0.0.5:6379")
    run = compared_run(2.0, workload="post", servers={"spawned": there})
    reports = [Report.of(run, SHIPPED)]
    (told,) = json.loads(str(content("json", reports, (), SHIPPED)))["runs"]
    alone = json.loads(verdicts_json(verdicts_of(run, SHIPPED), []))["claims"]
    assert told["claims"] == alone
    verdicts = {claim["id"]: claim["verdict"] for claim in alone}
    assert (verdicts["latency-bounds-sync"], verdicts["redis-py-hiredis"]) == ("does not hold", "not measured")
    text = str(content("markdown", reports, (), SHIPPED))
    assert "Published advice: 0 holds, 1 does not hold" in text[: text.index("## sync")]
    advice = text[text.index("## published advice") :]
    assert "| **does not hold** A synchronous client" in advice
    assert "(`redis-py-hiredis`)" not in advice
    assert "To measure the rest: `respmark run guidance`" in advice


def test_a_file_that_does_not_read_ends_with_2(respmark: Command, runs: list[str]) -> None:
    """No half of a report is printed."""
    Path(runs[1], "trials.jsonl").write_text("{\n")
    finished = respmark("report", *runs, "--format", "csv")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert finished.output == ""
    assert "does not read" in finished.errors


def test_details_are_on_demand(respmark: Command, runs: list[str]) -> None:
    """The summary names each scenario once; the tables have every client, sorted, against the baseline asked for."""
    summary, details = respmark("report", runs[0]).output, respmark("report", runs[0], "--details").output
    assert f"respmark report {runs[0]} --details" in summary
    assert "p50/p99 ms" not in summary
    assert "p50/p99 ms" in details
    finished = respmark("report", runs[0], "--details", "--baseline", "nobody")
    assert (finished.code, "no such client" in finished.errors) == (ExitCode.INVALID_REQUEST, True)


@pytest.fixture(scope="session")
def bundle() -> None:
    vega()


@pytest.mark.usefixtures("bundle")
def test_html_is_one_page_in_a_file(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    finished = respmark("report", runs[0], "--format", "html", "--out", str(out))
    assert (finished.code, finished.output, finished.errors) == (ExitCode.OK, "", "")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_folder_may_hold_trials_and_micro_benchmarks(respmark: Command, runs: list[str], tmp_path: Path) -> None:
    """Trials come first; a folder with neither is refused with both names."""
    write_model(Path(runs[0]) / MICRO, make_micro_run(make_micro_record(commands=None)))
    output = respmark("report", runs[0]).output
    assert output.index("21,345") < output.index("micro-benchmarks of JMH 1.37")
    assert "no manifest.json and no micro.json" in respmark("report", str(tmp_path)).errors
