"""`respmark run`: what it makes of how a run ends."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.cli import run as module
from respmark.errors import ExitCode, NothingRanError, RespmarkError, TargetError
from respmark.opening import LaunchOptions
from respmark.results.manifest import RunStatus
from respmark.results.store import RunFolder
from respmark.run.session import Observer
from respmark.setup.prepare import Prepared
from tests.builders.records import make_manifest, make_record
from tests.cli.conftest import Command

Launch = Callable[[LaunchOptions], ExitCode]


class Stage:
    """Stands in for everything that `run` starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.orders: list[LaunchOptions] = []
        self.ending: Launch = lambda _order: ExitCode.OK
        monkeypatch.setattr(module, "quick_warnings", lambda _plan, **_: ["swap: in use; turn it off"])
        monkeypatch.setattr("respmark.cli.setup.set_up", lambda *_what: Prepared(packages={"redis-py": {"redis": "8.0.0"}}))
        monkeypatch.setattr(module, "launch", self.launch)
        monkeypatch.setattr(module, "Guardian", lambda: self)

    def close(self) -> None:
        """Close nothing."""

    def launch(self, options: LaunchOptions, _guardian: object, observer: Observer) -> ExitCode:
        """Note the order and end as the test says."""
        self.observer = observer
        self.orders.append(options)
        return self.ending(options)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


def leaving(status: RunStatus, end: Launch) -> Launch:

    def launch(options: LaunchOptions) -> ExitCode:
        folder = RunFolder.create(options.folder)
        folder.write_manifest(make_manifest(status=status))
        folder.append(make_record(None, 21_345))
        return end(options)

    return launch


def raising(error: BaseException) -> Launch:

    def launch(_order: LaunchOptions) -> ExitCode:
        raise error

    return launch


@pytest.mark.parametrize(
    "error", [TargetError("the target cannot be reached"), NothingRanError("another run measures")]
)
def test_an_error_is_reported_and_has_its_exit_code(
    respmark: Command, stage: Stage, tmp_path: Path, error: RespmarkError
) -> None:
    """Its sentence stands on standard error, and no table is made up."""
    stage.ending = raising(error)
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is error.exit_code
    assert f"error: {error}" in finished.errors
    assert finished.output == ""


@pytest.mark.parametrize("code", [ExitCode.OK, ExitCode.SOME_FAILED, ExitCode.NOTHING_RAN])
def test_tables_are_printed_whatever_became_of_the_trials(
    respmark: Command, stage: Stage, tmp_path: Path, code: ExitCode
) -> None:
    """They are made from the files, whose folder is named."""
    stage.ending = leaving(RunStatus.COMPLETE, lambda _order: code)
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is code
    assert "21,345" in finished.output
    assert f"results in {tmp_path / 'out'}" in finished.output


def test_json_lines_are_all_that_is_written(respmark: Command, stage: Stage, tmp_path: Path) -> None:
    """No table comes between them; the last names folder and exit code, after an interrupt, too."""
    stage.ending = leaving(RunStatus.COMPLETE, lambda _order: ExitCode.SOME_FAILED)
    finished = respmark("run", "smoke", "--json-lines", "--out", str(tmp_path / "out"))
    assert json.loads(finished.output) == {"event": "run-ended", "folder": str(tmp_path / "out"), "exit_code": 1}
    stage.ending = leaving(RunStatus.INTERRUPTED, raising(KeyboardInterrupt()))
    finished = respmark("run", "smoke", "--json-lines", "--out", str(tmp_path / "other"))
    assert json.loads(finished.output)["exit_code"] == finished.code == ExitCode.INTERRUPTED


@pytest.mark.parametrize(("option", "shown"), [((), 2), (("--quiet",), 0), (("--json-lines",), 0)])
def test_a_provisional_table_stands_there_after_each_round(
    respmark: Command, stage: Stage, tmp_path: Path, option: tuple[str, ...], shown: int
) -> None:
    """Once a round, marked, with nothing that only a whole run can say; `--quiet` has the summary alone."""

    def ending(_options: LaunchOptions) -> ExitCode:
        for number in (1, 2):
            stage.observer.round_ended(number, 3)
        return ExitCode.OK

    stage.ending = leaving(RunStatus.RUNNING, ending)
    output = respmark("run", "smoke", *option, "--out", str(tmp_path / "out")).output
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
