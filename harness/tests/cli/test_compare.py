"""`respmark compare`: two runs, or the builds in one, from files alone."""

import json
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.results.manifest import WorkloadDescription
from respmark.results.records import Status
from respmark.results.store import RunFolder
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_manifest, make_record, planned_cell, true_record, unmeasured
from tests.cli.builders import build, builds
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
    assert (
        "| `lib` | 20,000 | 30,000 | 1.50 (no interval) |" in respmark("compare", *runs, "--format", "markdown").output
    )
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


@pytest.mark.parametrize(
    ("head", "threshold", "code"),
    [
        (700, "5%", ExitCode.SOME_FAILED),
        (700, "40%", ExitCode.OK),
        (1000, "5%", ExitCode.OK),
        (1300, "5%", ExitCode.OK),
    ],
)
def test_only_a_loss_that_is_shown_and_above_the_threshold_fails(
    respmark: Command, tmp_path: Path, head: int, threshold: str, code: ExitCode
) -> None:
    folder = builds(tmp_path / "run", *build("base", 1000), *build("head", head))
    assert respmark("compare", folder, "--fail-on", threshold).code is code
    assert respmark("compare", folder).code is ExitCode.OK


def test_the_comment_has_ratios_intervals_and_the_result(respmark: Command, tmp_path: Path) -> None:
    """As Markdown, with the decision in its heading; JSON has the same."""
    folder = builds(tmp_path / "run", *build("base", 1000), *build("head", 700))
    finished = respmark("compare", folder, "--fail-on", "5%", "--format", "markdown")
    assert finished.output.startswith("## respmark: RPS regressed by more than 5 % in 1 of 1 comparison\n")
    (line,) = [line for line in finished.output.splitlines() if line.startswith("| sync")]
    assert line.startswith("| sync | 1,000 | 700 | 0.70 (0.")
    assert line.endswith("| regressed |")
    content = json.loads(respmark("compare", folder, "--fail-on", "5%", "--format", "json").output)
    assert (content["regressed"], content["changes"][0]["outcome"]) == (1, "regressed")
    same = builds(tmp_path / "same", *build("base", 1000), *build("head", 1000))
    said = respmark("compare", same, "--fail-on", "0.1%", "--format", "markdown").output
    assert said.startswith("## respmark: too noisy to say whether RPS regressed by more than 0.1 % in 1 comparison\n")
    assert "rounds would show 0.1 %" in said
    said = respmark("compare", same, "--fail-on", "40%", "--format", "markdown").output
    assert said.startswith("## respmark: no regression of RPS by more than 40 % is shown in 1 comparison\n")


def test_what_cannot_be_compared_is_no_success(respmark: Command, tmp_path: Path) -> None:
    """A head without figures ends with 3, with the reason; a run without two builds is not a valid request."""
    failed = unmeasured(Status.FAILED, "it crashed", make_trial(client=make_client("head")))
    finished = respmark("compare", builds(tmp_path / "run", *build("base", 1000), failed), "--fail-on", "5%")
    assert finished.code is ExitCode.NOTHING_RAN
    assert "not compared: head failed: it crashed" in " ".join(finished.output.split())
    alone = respmark("compare", builds(tmp_path / "alone", *build("base", 1000)))
    assert alone.code is ExitCode.INVALID_REQUEST
    assert "no library in two versions or builds" in alone.errors


def test_two_runs_fail_through_a_control(respmark: Command, tmp_path: Path) -> None:
    """The client that is the same in both runs is named."""
    runs = (
        builds(tmp_path / "one", *laps("same", 1000), *laps("new", 1000)),
        builds(tmp_path / "two", *laps("same", 800), *laps("new", 400)),
    )
    finished = respmark("compare", *runs, "--fail-on", "5%")
    assert finished.code is ExitCode.SOME_FAILED
    assert "the client's ratio to same has changed" in " ".join(finished.output.split())
    cells = [line.split(" | ") for line in respmark("compare", *runs, "--format", "markdown").output.splitlines()]
    found = {row[0]: row[3] for row in cells if len(row) > 3}
    assert found["| `same`"] == "control"
    assert found["| `new`"].startswith("0.50 (0.")
    assert "RPS B/A to same" in found.values()


def test_what_is_judged_is_a_figure_that_is_compared(respmark: Command, tmp_path: Path) -> None:
    finished = respmark("compare", str(tmp_path), "--metric", "charm")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "there are: rps, client-cpu, server-cpu, p50, p99, server-memory, element" in finished.errors


@pytest.mark.parametrize("threshold", ["much", "-1%", "100%", "nan%"])
def test_a_threshold_is_a_percentage(respmark: Command, tmp_path: Path, threshold: str) -> None:
    finished = respmark("compare", str(tmp_path), f"--fail-on={threshold}")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "write a percentage" in finished.errors


def test_closed_loops_have_no_latency_to_judge(respmark: Command, tmp_path: Path) -> None:
    """More rounds would not help: response times are compared at a rate."""
    folder = builds(tmp_path / "run", *build("base", 1000), *build("head", 900))
    finished = respmark("compare", folder, "--fail-on", "5%", "--metric", "p99", "--format", "markdown")
    assert finished.code is ExitCode.NOTHING_RAN
    assert "not compared: p99 is compared only with a rate (--rate)" in finished.output
