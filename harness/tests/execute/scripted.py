"""A local executor whose runners are programs of a few lines that behave as a test wants."""

import json
import sys
from pathlib import Path

import pytest

from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute.local import LocalExecutor
from respmark.execute.process import LocalProcess
from respmark.paths import CONTRACT
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian
from tests.builders.plan import make_client, make_request

GOLDEN = CONTRACT / "golden"
PREFIX = f"""
import json, os, signal, sys, time
def say(name, **change):
    with open({str(GOLDEN)!r} + "/" + name + ".json") as file:
        print(json.dumps(json.load(file) | change), flush=True)
"""
SOON_S = 0.2
"""A limit for what never comes."""
SURELY_S = 60.0
"""A limit for what comes."""
LONG_S = 60.0
"""How long what should have been ended would stay; then it leaves a mark."""


class Notes(Guardian):
    """A guardian that only takes notes."""

    def __init__(self) -> None:
        self.protected: list[int] = []
        self.released: list[int] = []

    def protect_process(self, pid: int) -> None:
        """Note it."""
        self.protected.append(pid)

    def release_process(self, pid: int) -> None:
        """Note it."""
        self.released.append(pid)


class ScriptedRunners:
    """An executor whose one runner is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = Notes()
        self.executor = LocalExecutor({"python": self.spec(sys.executable, "-IS")}, self.notes, folder)

    def spec(self, *program: str) -> RunnerSpec:
        """Return the runner's spec."""
        command = (*program, str(self.folder / "runner.py"))
        return RunnerSpec(name="python", language="Python", command=command, advice="run `make setup`")

    def write(self, script: str) -> None:
        """Make the runner do this."""
        (self.folder / "runner.py").write_text(PREFIX + script)

    def start(self, script: str) -> LocalProcess:
        """Start the runner on a trial."""
        self.write(script)
        process = self.executor.start(make_client(), make_request())
        assert isinstance(process, LocalProcess)
        return process

    def problem(self, script: str, limit_s: float = SURELY_S) -> RunnerFailedError:
        """Return what is said of a runner that does this instead of its first event."""
        process = self.start(script)
        with pytest.raises(RunnerFailedError) as caught:
            process.next_event(limit_s)
        return caught.value

    def missing(self, script: str) -> str:
        """Return what is said of a runner that answers `describe` by this."""
        self.write(script)
        with pytest.raises(RunnerMissingError) as caught:
            self.executor.describe(make_client())
        return str(caught.value)

    def status(self, name: str, **content: str) -> None:
        """Write what set-up found."""
        (self.folder / "status").mkdir(exist_ok=True)
        (self.folder / "status" / f"{name}.json").write_text(json.dumps(content))
