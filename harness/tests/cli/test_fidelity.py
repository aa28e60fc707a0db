"""`respmark fidelity`: bare loops that users name, its file, and what it prints."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from respmark.cli.app import run_command
from respmark.cli.fidelity import Task, _bare_command, _commands, _empty_rows, _label, _with_round, servers
from respmark.contract.trial import Scenario, Shape, Window
from respmark.errors import ExitCode, FidelityError, InvalidRequestError, RunnerMissingError
from respmark.fidelity.rows import FidelityRun, Row
from respmark.fidelity.sides import RunnerSide
from respmark.placement import Placement
from respmark.plan.trial import Cell, Trial
from respmark.specs.naming import find_clients
from tests.builders.plan import SHIPPED, make_trial, planned
from tests.execute.scripted import Notes
from tests.fake_executor import FakeExecutor
from tests.fakes import FakeTarget, honest, make_context
from tests.fidelity.test_pairs import Other
from tests.fidelity.test_rows import laps
from tests.fidelity.test_tables import FAILED, make_fidelity_run, make_row


def commands(*given: str) -> dict[str, list[str]]:
    """Return what `--bare` says."""
    return _commands(given, SHIPPED)


def test_a_bare_loop_is_named_for_a_variant() -> None:
    """The brackets of a variant have `=` in them; the command begins after them."""
    assert commands("redis-py[parser=python]=python3 my_loop.py --fast=1") == {
        "redis-py[parser=python]": ["python3", "my_loop.py", "--fast=1"]
    }


def test_a_bare_loop_can_be_for_all_variants() -> None:
    """A variant that is named later has its own."""
    found = commands("redis-py[*]=./loop 'two words'", "redis-py[parser=python]=other")
    assert set(found) >= {"redis-py", "redis-py[parser=python]"}
    assert found["redis-py"] == ["./loop", "two words"]
    assert found["redis-py[parser=python]"] == ["other"]


@pytest.mark.parametrize("given", ["redis-py", "redis-py=", "redis-py= ", "redis-py[parser=python]", "=loop"])
def test_what_names_no_command_is_refused(given: str) -> None:
    """With how it is written."""
    with pytest.raises(InvalidRequestError):
        commands(given)


def test_a_client_that_does_not_exist_is_refused() -> None:
    """A typo must not leave our own loop in its place."""
    with pytest.raises(InvalidRequestError, match="nobody"):
        commands("nobody=loop")


def make_task(tmp_path: Path, bare: Sequence[str] = (), **request: Any) -> Task:  # noqa: ANN401 - a request's fields
    """Return what is to be measured."""
    plan = planned("fidelity", **request)
    nowhere = Placement(target=None, clients=None)
    return Task(plan, SHIPPED, Notes(), nowhere, _commands(tuple(bare), SHIPPED), tmp_path / "fidelity.json")


def cell(client: str, scenario: Scenario = Scenario.SYNC, shape: Shape | None = None) -> Cell:
    """Return a cell of a client that exists."""
    (found,) = find_clients(client, SHIPPED.clients)
    return Cell(found, scenario, shape or Shape(), None)


def test_our_bare_loop_is_told_what_is_not_usual(tmp_path: Path) -> None:
    """Options beside the client's defaults, and the numbers of a shape beside its depth."""
    task = make_task(tmp_path)
    usual = _bare_command(task, cell("redis-py"))
    assert usual == SHIPPED.runners["python"].bare_for("default", "redis-py")
    changed = _bare_command(
        task, cell("redis-py[parser=python]", Scenario.PIPELINING, Shape(depth=100, window=Window.BURST))
    )
    assert changed == [*usual, "--window", "burst", "--parser", "python"]


def test_a_users_bare_loop_is_told_nothing_more(tmp_path: Path) -> None:
    """The protocol in docs/honesty.md is all that it has to know."""
    task = make_task(tmp_path, ["redis-py[parser=python]=loop --mine"])
    shape = Shape(depth=100, window=Window.BURST)
    assert _bare_command(task, cell("redis-py[parser=python]", Scenario.PIPELINING, shape)) == ["loop", "--mine"]
    assert "loop" not in _bare_command(task, cell("redis-py"))


def test_a_client_that_any_place_lacks_has_its_reason(tmp_path: Path) -> None:
    """Its rows stand in the table all the same."""
    task = make_task(tmp_path, clients=("redis-py", "node-redis"), scenarios=(Scenario.SYNC,))
    here = make_context(FakeExecutor(lambda _request, _orders: []))
    there = make_context(FakeExecutor(lambda _request, _orders: [], missing={"node": "not found; install Node.js"}))
    rows = _empty_rows(task, here, there)
    assert {row.client: row.reason for row in rows} == {
        "redis-py": None,
        "node-redis": "not found; install Node.js",
    }


def test_what_was_named_and_cannot_be_measured_has_a_row(tmp_path: Path) -> None:
    """With the reason; it is not one that failed."""
    task = make_task(tmp_path, clients=("phpredis", "lettuce"), scenarios=(Scenario.THREADS,))
    rows = _empty_rows(task, make_context(FakeExecutor(lambda _request, _orders: [])))
    assert {row.client: (row.unsupported, row.reason is None) for row in rows} == {
        "lettuce": (False, True),
        "phpredis": (True, False),
    }


def empty_row() -> Row:
    """Return a row before its first round."""
    return make_row(scenario=Scenario.SYNC, shape=Shape(), versions={}, laps=[])


def test_a_round_is_added_to_its_row() -> None:
    """With the versions that were loaded."""
    target = FakeTarget()
    context = make_context(FakeExecutor(honest(target.control.server)), target, laps=3)
    once = _with_round(empty_row(), make_trial(number=1), lambda trial: (RunnerSide(context, trial), Other()))
    twice = _with_round(once, make_trial(number=2), lambda trial: (RunnerSide(context, trial), Other()))
    assert [(lap.round, lap.lap) for lap in twice.laps] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert twice.versions == {"lib": "1.2.3", "runtime": "4"}
    assert twice.reason is None


def test_a_round_that_failed_ends_its_row_and_keeps_what_it_had() -> None:
    """The rounds before stand; the reason names the round."""
    target = FakeTarget()
    context = make_context(FakeExecutor(honest(target.control.server)), target)
    before = make_row(laps=laps(1))

    def broken(trial: Trial) -> tuple[RunnerSide, Other]:
        return RunnerSide(context, trial), Other(fault=FidelityError("the bare loop broke"))

    row = _with_round(before, make_trial(number=2), broken)
    assert row.laps == before.laps
    assert row.reason == "round 2: the bare loop broke"


def test_other_versions_than_in_earlier_rounds_end_the_row() -> None:
    """The rounds would be of two libraries."""
    target = FakeTarget()
    context = make_context(FakeExecutor(honest(target.control.server)), target)
    before = make_row(laps=laps(1), versions={"lib": "1.2.2", "runtime": "4"})
    row = _with_round(before, make_trial(number=2), lambda trial: (RunnerSide(context, trial), Other()))
    assert row.laps == before.laps
    assert row.reason == ("round 2: loaded {'lib': '1.2.3', 'runtime': '4'}, before {'lib': '1.2.2', 'runtime': '4'}")


def test_a_client_that_went_missing_ends_its_row() -> None:
    """It was there when it was asked."""
    target = FakeTarget()

    class Gone(FakeExecutor):
        """An executor that does not find its program any more."""

        def start(self, *_: object) -> Any:  # noqa: ANN401 - never returns
            """Find nothing."""
            raise RunnerMissingError("node: No such file or directory; install Node.js")

    context = make_context(Gone(lambda _request, _orders: []), target)
    row = _with_round(empty_row(), make_trial(), lambda trial: (RunnerSide(context, trial), Other()))
    assert row.reason == "round 1: node: No such file or directory; install Node.js"


def test_two_versions_of_the_server_are_told() -> None:
    """A ratio between them is not one between places."""
    assert servers("redis 8.0.2", "redis 8.0.2") == "server: redis 8.0.2 in both places"
    assert "redis 7.0.15 here, valkey 8.1.1 in the container" in servers("redis 7.0.15", "valkey 8.1.1")


def test_a_row_is_named_in_words() -> None:
    """As it goes on, and in the table."""
    assert _label(cell("redis-py[parser=python]", Scenario.BATCHING, Shape(depth=100))) == (
        "redis-py[parser=python] batching depth 100"
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Return the file of a run with a good row and a bad one."""
    path = tmp_path / "fidelity.json"
    path.write_text(make_fidelity_run(make_row(), FAILED).model_dump_json())
    return path


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("terminal", "suite / bare loop"),
        ("markdown", "| --- | --- |"),
        ("csv", "client,scenario,depth,status,reason,rps_ratio,"),
    ],
)
def test_tables_are_made_again_from_the_file(
    written: Path, form: str, sign: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is measured; a row that could not be measured is still a failure."""
    code = run_command(["fidelity", "--from", str(written), "--format", form])
    printed = capsys.readouterr().out
    assert code is ExitCode.SOME_FAILED
    assert sign in printed
    assert "redis-py" in printed
    assert "it does not start" in " ".join(printed.split())


def test_a_file_in_which_all_is_well_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the CSV reads back as it was printed."""
    path = tmp_path / "fidelity.json"
    path.write_text(make_fidelity_run(make_row()).model_dump_json())
    assert run_command(["fidelity", "--from", str(path), "--format", "csv"]) is ExitCode.OK
    heading, row = capsys.readouterr().out.splitlines()
    assert dict(zip(heading.split(","), row.split(","), strict=True))["verdict"] == "met"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{}", "does not read"),
        (json.dumps({"schema_version": 99}), "written by a newer respmark"),
    ],
)
def test_a_file_that_is_none_is_refused(
    tmp_path: Path, content: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what is wrong with it."""
    path = tmp_path / "fidelity.json"
    if content is not None:
        path.write_text(content)
    assert run_command(["fidelity", "--from", str(path)]) is ExitCode.INVALID_REQUEST
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("option", ["--out", "--from"])
def test_a_run_goes_on_in_its_own_folder(written: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And measures, so that there is no other file to read."""
    words = ["fidelity", "--resume", str(written.parent), option, str(written)]
    assert run_command(words) is ExitCode.INVALID_REQUEST
    assert "leave --out and --from out" in " ".join(capsys.readouterr().err.split())


def test_a_run_that_is_not_there_cannot_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is started for it."""
    assert run_command(["fidelity", "--resume", str(tmp_path)]) is ExitCode.INVALID_REQUEST
    assert "cannot be read" in " ".join(capsys.readouterr().err.split())


def test_a_bare_loop_for_nobody_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message shows how it is written."""
    words = ["fidelity", "--client", "redis-py", "--bare", "redis-py", "--out", str(tmp_path / "out")]
    assert run_command(words) is ExitCode.INVALID_REQUEST
    assert "write CLIENT=COMMAND" in " ".join(capsys.readouterr().err.split())


def test_a_file_of_this_version_is_read_whole(written: Path) -> None:
    """Laps and all."""
    found = FidelityRun.model_validate_json(written.read_bytes())
    assert [len(row.laps) for row in found.rows] == [20, 0]
