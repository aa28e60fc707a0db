"""A checkout's specs with a test double for a client, and the command run against them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.builders.plan import copy_specs
from tests.double import install
from tests.record_files import records_of

WORKLOAD = """
name = "tiny"
summary = "for tests"
commands = 500
preload_keys = 80
sizes = { mean_bytes = 64, standard_deviation_bytes = 16, min_bytes = 4, max_bytes = 128 }

[[mix]]
name = "GET"
share = 0.8
keys = 100
arguments = [{ kind = "key" }]

[[mix]]
name = "SET"
share = 0.2
keys = 80
arguments = [{ kind = "key" }, { kind = "value" }]
"""
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


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    errors: str
    out: Path

    def manifest(self) -> dict[str, Any]:
        """Return the run's manifest."""
        content: dict[str, Any] = json.loads((self.out / "manifest.json").read_text())
        return content

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the run's trials in order."""
        return sorted(records_of(self.out), key=lambda record: record["order"])


Respmark = Callable[..., Finished]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Return a folder of specs with the double, a tiny workload and a tiny suite."""
    folder = copy_specs(tmp_path / "specs")
    install(folder)
    (folder / "workloads" / "tiny.toml").write_text(WORKLOAD)
    (folder / "suites" / "tiny.toml").write_text(SUITE)
    return folder


@pytest.fixture
def environment(specs: Path) -> dict[str, str]:
    """Return the environment that the command runs in."""
    return {**os.environ, "RESPMARK_SPECS": str(specs), "COLUMNS": "100"}


@pytest.fixture
def start(environment: dict[str, str]) -> Callable[..., "subprocess.Popen[str]"]:
    """Return what starts the command and does not wait."""

    def begin(*words: str | Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "respmark", *words],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    return begin


@pytest.fixture
def respmark(start: Callable[..., "subprocess.Popen[str]"], tmp_path: Path) -> Respmark:
    """Return what runs the command to its end; `run` writes to `out`."""

    def run(*words: str | Path, out: Path = tmp_path / "out") -> Finished:
        if words[0] == "run":
            words = (*words, "--out", out)
        process = start(*words)
        output, errors = process.communicate(timeout=100)
        return Finished(process.returncode, output, " ".join(errors.split()), out)

    return run
