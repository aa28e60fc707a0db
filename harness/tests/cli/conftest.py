"""The command, run in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from respmark.cli.app import run_command
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode
from respmark.results.store import RunFolder
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, planned_cell, true_record


@dataclass(frozen=True)
class Finished:
    """What a command left."""

    code: ExitCode
    output: str
    errors: str


Command = Callable[..., Finished]


@pytest.fixture
def respmark(capsys: pytest.CaptureFixture[str]) -> Command:

    def run(*words: str) -> Finished:
        capsys.readouterr()
        code = run_command(list(words))
        captured = capsys.readouterr()
        return Finished(code, captured.out, captured.err)

    return run


@pytest.fixture
def starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test when anything is started."""

    def start(*words: object, **_options: object) -> None:
        pytest.fail(f"started {words}")

    monkeypatch.setattr("subprocess.Popen", start)


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    trials = [make_trial(), make_trial(Scenario.BATCHING, Shape(depth=10))]
    for name in ("first", "second"):
        folder = RunFolder.create(tmp_path / name)
        folder.write_manifest(make_manifest(run_id=name, cells=[planned_cell(make_record(trial)) for trial in trials]))
        folder.append(true_record(trials[0], 21_345))
        folder.append(true_record(trials[1], 50_000))
    return [str(tmp_path / "first"), str(tmp_path / "second")]
