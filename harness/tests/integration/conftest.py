"""Specs with the double for a client, and the command against them: in this process, or in one of its own."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from respmark.cli.app import run_command
from respmark.servers.node import Node
from tests.builders.plan import copy_specs, workload_file
from tests.double import install
from tests.integration.run_files import records_of
from tests.processes import gone

WORKLOAD = workload_file("tiny", commands=500)
SUITE = """
name = "tiny"
summary = "for tests"
workload = "tiny"
rounds = 1
laps = 2
slice_s = 0.05
lead_in_s = 0.02
warmup_limit_s = 0.2
clients = ["double"]

[[trials]]
scenario = "sync"

[[trials]]
scenario = "batching"
shape = { depth = [10] }
"""
LONG = ("--rounds", "500")
"""A run that does not end by itself while a test looks at it."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    errors: str
    """In one line."""
    out: Path

    @property
    def said(self) -> str:
        """Return all that it printed, in one line."""
        return " ".join(f"{self.output} {self.errors}".split())

    @property
    def manifest(self) -> dict[str, Any]:
        """Return the run's manifest."""
        content: dict[str, Any] = json.loads((self.out / "manifest.json").read_text())
        return content

    @property
    def records(self) -> list[dict[str, Any]]:
        """Return the records of the run's trials in order."""
        return sorted(records_of(self.out), key=lambda record: record["order"])


Respmark = Callable[..., Finished]


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = copy_specs(tmp_path / "specs")
    install(folder)
    (folder / "workloads" / "tiny.toml").write_text(WORKLOAD)
    (folder / "suites" / "tiny.toml").write_text(SUITE)
    monkeypatch.setenv("RESPMARK_SPECS", str(folder))
    monkeypatch.setenv("COLUMNS", "100")
    return folder


@pytest.fixture
def respmark(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Respmark:

    def run(*words: str | Path, out: Path = tmp_path / "out") -> Finished:
        given = ("--out", out) if words[0] == "run" and "--resume" not in words else ()
        capsys.readouterr()
        code = run_command([str(word) for word in (*words, *given)])
        captured = capsys.readouterr()
        return Finished(code, captured.out, " ".join(captured.err.split()), out)

    return run


@dataclass
class Running:
    """A command in a process of its own."""

    process: "subprocess.Popen[str]"
    out: Path

    def wait(self, reached: Callable[[], bool] | None = None) -> "Running":
        """Wait until the run has come somewhere, by default to the end of a trial."""

        def is_there() -> bool:
            assert self.process.poll() is None, self.process.communicate()
            return reached() if reached else bool(records_of(self.out))

        wait_until(is_there)
        return self

    def ended(self, number: signal.Signals | None = None) -> Finished:
        """Send a signal, if one is given, and wait for the end."""
        if number is not None:
            self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=100)
        return Finished(self.process.returncode, output, " ".join(errors.split()), self.out)


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as begun:

        def begin(*words: str | Path, prefix: tuple[str, ...] = (), out: Path = tmp_path / "out") -> Running:
            given = ("--out", out) if words[0] == "run" else ()
            process = subprocess.Popen(
                [*prefix, sys.executable, "-m", "respmark", *words, *given],
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            begun.enter_context(process)
            begun.callback(process.kill)
            return Running(process, out)

        yield begin


def wait_until(reached: Callable[[], bool]) -> None:
    while not reached():
        time.sleep(0.02)


def url_of(server: Node, userinfo: str = "") -> str:
    return f"redis://{userinfo}127.0.0.1:{server.endpoint.port}"


def wait_until_gone(pids: list[int]) -> None:
    wait_until(lambda: all(map(gone, pids)))
