"""`respmark run`: what it makes of how a run ends."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.cli import measure as module
from respmark.cli.measure import command_line
from respmark.errors import ExitCode, NothingRanError, RespmarkError, RunFolderError, TargetError
from respmark.launch import LaunchOptions
from respmark.results.manifest import RunStatus
from respmark.results.store import RunFolder
from respmark.run.session import Observer
from respmark.setup.prepare import Prepared
from tests.builders.plan import HIDDEN
from tests.builders.records import make_manifest, make_record
from tests.cli.conftest import Command

Launch = Callable[[LaunchOptions], ExitCode]


class Stage:
    """Stands in for everything that `run` starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.orders: list[LaunchOptions] = []
        self.ending: Launch = lambda _order: ExitCode.OK
        monkeypatch.setattr(module, "quick_warnings", lambda _plan: ["swap: in use; turn it off"])
        monkeypatch.setattr(module, "set_up", lambda *_what: Prepared(packages={"redis-py": {"redis": "8.0.0"}}))
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
    """Return what stands in for a run."""
    return Stage(monkeypatch)


def leaving(status: RunStatus, end: Launch) -> Launch:
    """Return a run that leaves one trial behind and then ends."""

    def launch(options: LaunchOptions) -> ExitCode:
        folder = RunFolder.create(options.folder)
        folder.write_manifest(make_manifest(status=status))
        folder.append(make_record(None, 21_345))
        return end(options)

    return launch


def raising(error: BaseException) -> Launch:
    """Return a run that ends in an error."""

    def launch(_order: LaunchOptions) -> ExitCode:
        raise error

    return launch


@pytest.mark.parametrize(
    "error", [TargetError("the target cannot be reached"), NothingRanError("another run measures")]
)
def test_an_error_is_told_and_has_its_exit_code(
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


def test_an_interrupt_keeps_and_shows_what_has_ended(respmark: Command, stage: Stage, tmp_path: Path) -> None:
    """Exit code 130, and the tables say that they are not whole."""
    stage.ending = leaving(RunStatus.INTERRUPTED, raising(KeyboardInterrupt()))
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is ExitCode.INTERRUPTED
    assert "21,345" in finished.output
    assert "THIS RUN IS INCOMPLETE: interrupted" in finished.output
    assert "interrupted; what has ended is kept" in finished.errors


def test_an_earlier_runs_tables_are_not_shown_for_this_one(respmark: Command, stage: Stage, tmp_path: Path) -> None:
    """A run that could not begin has no tables, even where its folder is another's."""
    leaving(RunStatus.COMPLETE, lambda _order: ExitCode.OK)(
        LaunchOptions(None, None, tmp_path / "out", [])  # type: ignore[arg-type]
    )
    stage.ending = raising(RunFolderError("a run of this name is there already"))
    finished = respmark("run", "smoke", "--out", str(tmp_path / "out"))
    assert finished.code is ExitCode.NOTHING_RAN
    assert "21,345" not in finished.output


def test_options_reach_the_order(respmark: Command, stage: Stage, tmp_path: Path) -> None:
    """Plan, folder, warnings and permission are what was asked for; else `quick`, in a new folder of the results."""
    respmark("run", "smoke", "--seed", "9", "--out", str(tmp_path / "out"), "--allow-flush", "--rounds", "4")
    (options,) = stage.orders
    assert (options.plan.settings.seed, options.plan.settings.rounds) == (9, 4)
    assert options.folder == tmp_path / "out"
    assert options.allow_flush
    assert options.warnings == ["swap: in use; turn it off"]
    assert options.packages == {"redis-py": {"redis": "8.0.0"}}
    respmark("run")
    _, options = stage.orders
    assert not options.allow_flush
    assert options.plan.settings.suite == "quick"
    assert options.folder.parent.name == "results"
    assert options.folder.name.endswith("-quick-seed1")


@pytest.mark.parametrize("words", [["--target", "URL"], ["--target=URL"]])
@pytest.mark.parametrize("url", ["redis://u:{}@h:1/2", "unix://u:{}@/s"])
def test_the_command_line_is_kept_without_passwords(words: list[str], url: str) -> None:
    """However the URL is written, the rest of it stays."""
    given = [word.replace("URL", url.format(HIDDEN)) for word in words]
    kept = command_line(["/usr/bin/respmark", "run", "smoke", *given])
    assert kept == ["respmark", "run", "smoke", *(word.replace("URL", url.format("***")) for word in words)]
