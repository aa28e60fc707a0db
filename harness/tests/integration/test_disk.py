"""A full disk: what was measured is kept and shown, and the exit code says which."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from tests.integration.conftest import Respmark

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

Fill = Callable[[Callable[[], bool]], None]


@pytest.fixture
def full_when(monkeypatch: pytest.MonkeyPatch) -> Fill:
    before = os.fsync

    def fill(reached: Callable[[], bool]) -> None:
        def fail_if_full(handle: int) -> None:
            if reached():
                raise FULL
            before(handle)

        monkeypatch.setattr(os, "fsync", fail_if_full)

    return fill


def holds(out: Path, word: str) -> bool:
    manifest = out / "manifest.json"
    return manifest.exists() and f'"status": "{word}"' in manifest.read_text()


def test_no_room_for_a_trial(respmark: Respmark, full_when: Fill, tmp_path: Path) -> None:
    """The tables of what was written are printed, and the files read."""
    full_when(lambda: sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file()) > 20_000)
    finished = respmark("run", "tiny", "--rounds", "20", "--slice-s", "0.02")
    assert finished.code is ExitCode.NOT_WRITTEN, finished.said
    assert "name another folder with --out; what was written before is kept" in finished.errors
    assert "THIS RUN IS INCOMPLETE" in finished.output
    assert "THIS RUN IS INCOMPLETE" in respmark("report", finished.out).output


def test_no_room_for_the_tables(tmp_path: Path) -> None:
    """Half a table must not pass for a whole one; the results themselves are whole."""
    words = [sys.executable, "-m", "respmark", "run", "tiny", "--out", str(tmp_path / "run")]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=100, check=False)
    assert ended.returncode == ExitCode.NOT_WRITTEN
    assert b"cannot write to standard output: No space left on device" in ended.stderr
    assert holds(tmp_path / "run", "complete")
