"""`respmark run`: what it makes of how a run ends."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.cli import under_way as module
from respmark.errors import ExitCode, NothingRanError, RespmarkError, ServerError
from respmark.results.manifest import RunStatus
from respmark.results.store import RunFolder
from respmark.run.testbed import OpenOptions
from respmark.setup.prepare import Prepared
from tests.builders.records import make_manifest, make_record
from tests.cli.conftest import Command, Opens

Measures = Callable[[OpenOptions], ExitCode]


class Stage:
    """Stands in for everything that `run` starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opens = Opens()
        monkeypatch.setattr(module, "quick_warnings", lambda _plan, **_: ["swap: in use; turn it off"])
        monkeypatch.setattr(
            "respmark.cli.setup.set_up", lambda *_what: Prepared(packages={"redis-py": {"redis": "8.0.0"}})
        )
        monkeypatch.setattr(module, "opened", self.opens)
        monkeypatch.setattr(module, "Guardian", lambda: self)

    def close(self) -> None:
        """Close nothing."""


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


def leaving(status: RunStatus, end: Measures) -> Measures:

    def measures(options: OpenOptions) -> ExitCode:
        folder = RunFolder.create(options.folder)
        folder.write_manifest(make_manifest(status=status))
        folder.append(make_record(None, 21_345))
        return end(options)

    return measures


def raising(error: BaseException) -> Measures:

    def measures(_order: OpenOptions) -> ExitCode:
        raise error

    return measures


@pytest.mark.parametrize(
    "error", [ServerError("the server cannot be reached"), NothingRanError("another run measures")]
)
def test_an_error_is_reported_and_has_its_exit_code(
    respmark: Command, stage: Stage, tmp_path: Path, error: RespmarkError
) -> None:
    """Its sentence stands on standard error, and no table is made up."""
    stage.opens.measures = raising(error)
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is error.exit_code
    assert f"error: {error}" in finished.errors
    assert finished.output == ""


@pytest.mark.parametrize("code", [ExitCode.OK, ExitCode.SOME_FAILED, ExitCode.NOTHING_RAN])
def test_tables_are_printed_whatever_became_of_the_trials(
    respmark: Command, stage: Stage, tmp_path: Path, code: ExitCode
) -> None:
    """They are made from the files, whose folder is named."""
    stage.opens.measures = leaving(RunStatus.COMPLETE, lambda _order: code)
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is code
    assert "21,345" in finished.output
    assert f"results in {tmp_path / 'out'}" in finished.output


def test_json_lines_are_all_that_is_written(respmark: Command, stage: Stage, tmp_path: Path) -> None:
    """No table comes between them; the last names folder and exit code, after an interrupt, too."""
    stage.opens.measures = leaving(RunStatus.COMPLETE, lambda _order: ExitCode.SOME_FAILED)
    finished = respmark("run", "smoke", "--json-lines", "--out", str(tmp_path / "out"))
    assert json.loads(finished.output) == {"event": "run-ended", "folder": str(tmp_path / "out"), "exit_code": 1}
    stage.opens.measures = leaving(RunStatus.INTERRUPTED, raising(KeyboardInterrupt()))
    finished = respmark("run", "smoke", "--json-lines", "--out", str(tmp_path / "other"))
    assert json.loads(finished.output)["exit_code"] == finished.code == ExitCode.INTERRUPTED


def test_who_interrupts_a_run_reads_the_command_that_continues_it(
    respmark: Command, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "my runs")
    monkeypatch.setattr("sys.argv", ["/usr/bin/respmark", "run", "smoke", "--out", folder, "--scenario", "sync"])
    stage.opens.measures = leaving(RunStatus.INTERRUPTED, raising(KeyboardInterrupt()))
    finished = respmark("run", "smoke", "--out", folder, "--scenario", "sync")
    assert finished.code is ExitCode.INTERRUPTED
    assert f"to continue: respmark run smoke --scenario sync --resume '{folder}'" in finished.errors


def test_a_run_that_cannot_go_on_says_so_before_anything_is_set_up(
    respmark: Command, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("respmark.cli.setup.set_up", lambda *_what: pytest.fail("set something up"))
    RunFolder.create(tmp_path / "run").write_manifest(make_manifest(status=RunStatus.COMPLETE))
    finished = respmark("run", "smoke", "--resume", str(tmp_path / "run"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "is complete: nothing is left to be measured" in finished.errors
    assert not stage.opens.orders


def test_a_run_that_is_given_more_names_the_command_that_measures_it_at_once(
    respmark: Command, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = ["respmark", "run", "smoke", "--minutes=5", "--out", "mine", "--rounds", "2"]
    RunFolder.create(tmp_path / "run").write_manifest(make_manifest(command_line=began))
    monkeypatch.setattr(module, "earlier_run", lambda folder, _plan: folder)
    respmark("run", "smoke", "--rounds", "4", "--minutes", "9.5", "--resume", str(tmp_path / "run"))
    assert stage.opens.orders[0].command_line == [*began[:3], *began[4:6], "--rounds", "4", "--minutes", "9.5"]


@pytest.mark.parametrize(("option", "shown"), [((), 2), (("--quiet",), 0), (("--json-lines",), 0)])
def test_a_provisional_table_stands_there_after_each_round(
    respmark: Command, stage: Stage, tmp_path: Path, option: tuple[str, ...], shown: int
) -> None:
    """Once a round, marked, with nothing that only a whole run can say; `--quiet` has the summary alone."""
    stage.opens.measures = leaving(RunStatus.RUNNING, lambda _order: ExitCode.OK)
    stage.opens.rounds = (1, 2)
    output = respmark("run", "smoke", "--rounds", "3", *option, "--out", str(tmp_path / "out")).output
    marks = [line for line in output.splitlines() if line.startswith("provisional, after round")]
    assert [line.partition(";")[0] for line in marks] == [
        f"provisional, after round {number} of 3" for number in range(1, shown + 1)
    ]
    assert ("21,345" in output) == (option != ("--json-lines",))
    if shown:
        parts = output.split("provisional, after round")[1:]
        assert all("21,345" in part for part in parts)
        assert "21,345 *" not in parts[0]  # of one round, none is lost
        assert output.count("THIS RUN IS INCOMPLETE") == 1
