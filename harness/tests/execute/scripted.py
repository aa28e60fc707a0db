"""Runners that are programs of a few lines, which behave as a test wants."""

import json
import sys
from pathlib import Path

import pytest

from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute.local import LocalExecutor
from respmark.execute.process import LocalProcess, start_program
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian
from tests.builders.plan import client_spec, make_client

PREFIX = """
import json, os, signal, sys, time
def say(**line):
    print(json.dumps(line), flush=True)
"""
LOADED = """
sys.stdin.readline()
say(loaded={"contract": 3, "versions": {"lib": "2", "rt": "3"}, "settings": {}})
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

    def protect_folder(self, folder: Path) -> None:
        """Nothing of it is noted."""

    def release_folder(self, folder: Path) -> None:
        """Nothing of it is noted."""


class ScriptedRunners:
    """An executor whose one runner is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = Notes()
        self.executor = self.executor_of(sys.executable, "-IS")
        self._started: list[LocalProcess] = []

    def executor_of(self, *program: str) -> LocalExecutor:
        """Return an executor that starts the script with this program."""
        command = (*program, str(self.folder / "runner.py"), "{client}")
        spec = RunnerSpec(name="python", language="Python", runtime="rt", command=command, advice="run `make setup`")
        clients = {("python", "lib"): client_spec()}
        return LocalExecutor({"python": spec}, clients, self.notes, self.folder)

    def write(self, script: str) -> None:
        """Make the runner do this."""
        (self.folder / "runner.py").write_text(PREFIX + script)

    def start(self, script: str) -> LocalProcess:
        """Start the runner by itself, without a trial."""
        self.write(script)
        command = [sys.executable, "-IS", str(self.folder / "runner.py")]
        self._started.append(LocalProcess(start_program(command), self.notes))
        return self._started[-1]

    def problem(self, script: str, limit_s: float = SURELY_S) -> RunnerFailedError:
        """Return what is said of a runner that does this instead of its first line."""
        process = self.start(script)
        with pytest.raises(RunnerFailedError) as caught:
            process.next_line(limit_s)
        return caught.value

    def missing(self, script: str) -> str:
        """Return what is said of a runner that answers a trial by this."""
        self.write(script)
        with pytest.raises(RunnerMissingError) as caught:
            self.executor.describe(make_client())
        return str(caught.value)

    def status(self, name: str, **content: str) -> None:
        """Write what set-up found."""
        (self.folder / "status").mkdir(exist_ok=True)
        (self.folder / "status" / f"{name}.json").write_text(json.dumps(content))

    def close(self) -> None:
        """End what was started."""
        for process in self._started:
            process.kill()
