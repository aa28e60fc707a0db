"""The command, run in this process; and what it makes of a run that only a test opens."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from respmark.cli.app import run_command
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode
from respmark.results.store import RunFolder
from respmark.run.testbed import OpenOptions
from tests.builders.plan import make_trial
from tests.builders.records import make_manifest, make_record, planned_cell, true_record


@dataclass(frozen=True)
class Finished:
    """What a command left."""

    code: ExitCode
    output: str
    errors: str


Command = Callable[..., Finished]


@dataclass
class Opens:
    """Stands in for `respmark.run.run.opened`: notes what was asked for, and does in its place what a test says."""

    measures: Callable[[OpenOptions], ExitCode] = lambda _options: ExitCode.OK
    """May raise what ends a run."""
    rounds: Sequence[int] = ()
    """That end."""
    orders: list[OpenOptions] = field(default_factory=list)

    @contextmanager
    def __call__(self, options: OpenOptions, *_: object) -> Iterator[SimpleNamespace]:
        """Open nothing."""
        self.orders.append(options)
        yield SimpleNamespace(
            options=options,
            plan=options.plan,
            folder=RunFolder(options.folder),
            exit_code=self.measures(options),
            rounds=lambda: iter(self.rounds),
            has_time=lambda *_: False,
            goes_on=True,
            left_s=60.0,
        )


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
