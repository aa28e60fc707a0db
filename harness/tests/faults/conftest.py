"""The command against a checkout with a test double, on a disk that is full, or on a terminal."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.disk import SmallDisk, small_disk
from tests.integration.conftest import Finished, environment, respmark, specs, start

__all__ = ["environment", "respmark", "specs", "start"]

Begin = Callable[..., Finished]


@pytest.fixture
def command(environment: dict[str, str], tmp_path: Path) -> Begin:
    """Return what runs the command with options that the shell would give it."""

    def run(*words: str | Path, prefix: tuple[str, ...] = (), **options: object) -> Finished:
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        program = [*(prefix or (sys.executable, "-m", "respmark")), *words]
        process = subprocess.Popen(program, env=environment, **given)  # type: ignore[call-overload]
        output, errors = process.communicate(timeout=100)
        said = " ".join((errors or b"").decode().split())
        return Finished(process.returncode, (output or b"").decode(), said, tmp_path / "out")

    return run


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], SmallDisk]]:
    """Return what makes a disk of some KiB."""
    with contextlib.ExitStack() as made:
        yield lambda kibibytes: made.enter_context(small_disk(tmp_path / f"disk-{kibibytes}", kibibytes))


@pytest.fixture
def temporary(environment: dict[str, str]) -> Callable[[Path], None]:
    """Return what names the folder for temporary files."""

    def name(folder: Path) -> None:
        environment["TMPDIR"] = str(folder)

    return name


def is_root() -> bool:
    """Tell whether permissions mean nothing to us."""
    return os.geteuid() == 0
