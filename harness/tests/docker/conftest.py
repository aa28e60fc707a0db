"""The command, and what docker has of a run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from respmark.runners.docker_engine import Belongings, client, find_projects, remove_project

RUN_LIMIT_S = 1200.0
"""For a run that has to build every image."""


@pytest.fixture
def run_name(tmp_path: Path) -> Iterator[str]:
    name = f"test-{os.getpid()}-{tmp_path.name}"
    yield name
    for found in left_of(name):
        remove_project(client(), found)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "respmark", *words]


def respmark(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*words), env=os.environ | environment, capture_output=True, text=True, timeout=RUN_LIMIT_S, check=False
    )


def left_of(run: str) -> list[Belongings]:
    return [found for found in find_projects(client()) if found.run == run]


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.1)
