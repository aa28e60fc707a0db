"""The command in a process of its own, and what docker has of a run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from respmark.containers.engine import client
from respmark.containers.sweep import RUN_LABEL, Found, find, remove

RUN_LIMIT_S = 1200.0
"""For a run that has to build every image."""
SOON_S = 90.0


@pytest.fixture
def run_name(tmp_path: Path) -> str:
    """Return a name for the test's run, by which its containers are found."""
    return f"test-{os.getpid()}-{tmp_path.name}"


def command(*words: str) -> list[str]:
    """Return the command line of `respmark`."""
    return [sys.executable, "-m", "respmark", *words]


def respmark(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    return subprocess.run(
        command(*words),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_S,
        check=False,
    )


def left_of(run: str) -> list[Found]:
    """Return what docker has of a run."""
    return [found for found in find(client()) if found.run == run]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something that comes soon, or fail."""
    deadline = time.monotonic() + SOON_S
    while not holds():
        assert time.monotonic() < deadline, f"not within {SOON_S:.0f} s: {what}"
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def _nothing_stays(run_name: str) -> Iterator[None]:
    """Remove what a failed test has left; it is found by its name."""
    yield
    for found in left_of(run_name):
        remove(client(), found)


def label(run: str) -> str:
    """Return the label of a run's things."""
    return f"{RUN_LABEL}={run}"
