"""Runners that are programs of a few lines, which behave as a test wants."""

import json
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from respmark.errors import RunnerFailedError
from respmark.machine.guardian import Guardian, Kind
from respmark.machine.process import LocalProcess
from respmark.runners.local import LocalExecutor
from respmark.runners.runner import Runner
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import client_spec, make_request

PREFIX = """
import json, os, signal, sys, time
def say(**line):
    print(json.dumps(line), flush=True)
"""
LOADED = """
sys.stdin.readline()
say(loaded={"contract": 4, "versions": {"lib": "2", "rt": "3"}, "settings": {}})
"""
DOUBLE = """
for line in sys.stdin:
    name = next(iter(json.loads(line)))
    answer = json.loads(ANSWERS).get("trial" if name == "client" else name, {})
    if "print" in answer:
        print(answer["print"] if isinstance(answer["print"], str) else json.dumps(answer["print"]), flush=True)
    if "hang" in answer:
        time.sleep(60)
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    if "fail" in answer:
        sys.exit(answer["fail"])
"""
"""Answers each line as it is told: prints, hangs, gets a signal, or fails with a last word."""
SOON_S = 0.2
"""A limit for what never comes."""
SURELY_S = 60.0
"""A limit for what comes."""
LONG_S = 60.0
"""How long what should have been ended would stay; then it leaves a mark."""


class Notes(Guardian):
    """A guardian that only takes notes."""

    def __init__(self) -> None:
        self.protected: list[str | int | list[str]] = []
        self.released: list[str | int | list[str]] = []

    def protect(self, kind: Kind, what: str | int | list[str]) -> None:
        if kind != "folder":
            self.protected.append(what)

    def release(self, kind: Kind, what: str | int | list[str]) -> None:
        if kind != "folder":
            self.released.append(what)


def pid_of(runner: Runner) -> int:
    return cast("LocalProcess", runner.process).pids()[0]


class ScriptedRunners:
    """An executor whose one runner is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = Notes()
        self.executor = self.executor_of(sys.executable, "-IS")
        self._started: list[Runner] = []

    def executor_of(self, *program: str) -> LocalExecutor:
        command = (*program, str(self.folder / "runner.py"), "{client}")
        spec = RunnerSpec(name="python", language="Python", runtime="rt", command=command, advice="run `make setup`")
        clients = {("python", "lib"): client_spec()}
        return LocalExecutor({"python": spec}, clients, self.notes, self.folder)

    def write(self, script: str) -> None:
        (self.folder / "runner.py").write_text(PREFIX + script)

    def start(self, script: str) -> Runner:
        self.write(script)
        command = [sys.executable, "-IS", str(self.folder / "runner.py")]
        self._started.append(Runner(LocalProcess(command, self.notes)))
        return self._started[-1]

    def answering(self, answers: dict[str, Any], **request: Any) -> Runner:  # noqa: ANN401 - a request's fields
        """Start a runner on a trial, which answers each line so."""
        self.write(f"ANSWERS = {json.dumps(answers)!r}\n{DOUBLE}")
        return self.executor.start(make_request(**request))

    def problem(self, script: str, limit_s: float = SURELY_S) -> RunnerFailedError:
        process = self.start(script)
        with pytest.raises(RunnerFailedError) as caught:
            process.next_line(limit_s)
        return caught.value

    def not_loaded(self, script: str) -> RunnerFailedError:
        self.write(script)
        with pytest.raises(RunnerFailedError) as caught:
            self.executor.start(make_request()).load(SURELY_S)
        return caught.value

    def close(self) -> None:
        for process in self._started:
            process.kill()
