"""The command, run in this process."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from respmark.cli.app import run_command
from respmark.errors import ExitCode


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
