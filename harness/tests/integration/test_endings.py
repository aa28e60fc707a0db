"""Runs that are cut short: what has ended stays, nothing is left running."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import Respmark
from tests.record_files import records_of

Start = Callable[..., "subprocess.Popen[str]"]
SIGNALLED_IN_PYDANTIC = """
import os, signal, sys
from pathlib import Path
from pydantic import SecretStr
from respmark.cli import main

reveal = SecretStr.get_secret_value

def reveal_and_signal(secret):
    if any(Path(sys.argv[-1], "trials").glob("*.json.gz")):
        os.kill(os.getpid(), signal.SIGTERM)
    return reveal(secret)

SecretStr.get_secret_value = reveal_and_signal
main()
"""
"""The command; the signal comes while pydantic writes the password into the first request after a trial has ended."""


def _begun(start: Start, out: Path, client: str = "double") -> "tuple[subprocess.Popen[str], int]":
    """Start a long run; return it and its server's process once it measures."""
    words = ("--rounds", "500", "--slice-s", "0.1", "--client", client)
    process = start("run", "tiny", *words, "--out", out)
    _await(process, lambda: any((out / "trials").glob("[!.]*.json.gz")))
    return process, int(json.loads((out / "manifest.json").read_text())["target"]["info"]["process_id"])


def _await(process: "subprocess.Popen[str]", reached: Callable[[], bool]) -> None:
    """Wait until a run has come somewhere; the test's own limit ends what never comes."""
    while not reached():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def _gone(pid: int) -> bool:
    """Wait until a process is no more; tell whether that came about."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def _children(pid: int) -> list[int]:
    return [child for child, parent in _parents().items() if parent == pid]


def _parents() -> dict[int, int]:
    """Return every process with its parent, as the kernel lists them."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may end while we look
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    return parents


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_has_ended(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 130, the tables of what there is, the manifest says interrupted, no process is left."""
    out = tmp_path / "out"
    process, server = _begun(start, out)
    children = _children(process.pid)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert json.loads((out / "manifest.json").read_text())["status"] == "interrupted"
    assert "THIS RUN IS INCOMPLETE" in output
    assert all(record["trial_id"] for record in records_of(out))
    assert [pid for pid in [server, *children] if not _gone(pid)] == []


def test_an_interrupt_that_pydantic_reports_as_its_own_error(environment: dict[str, str], tmp_path: Path) -> None:
    """It is an interrupt all the same, for the manifest too."""
    out = tmp_path / "out"
    words = [sys.executable, "-c", SIGNALLED_IN_PYDANTIC, "run", "tiny", "--rounds", "2", "--out", str(out)]
    ended = subprocess.run(words, env=environment, text=True, capture_output=True, timeout=100, check=False)
    assert ended.returncode == 130, ended.stderr
    assert "interrupted; what has ended is kept" in ended.stderr
    assert json.loads((out / "manifest.json").read_text())["status"] == "interrupted"
    assert records_of(out)


def test_a_killed_run_leaves_nothing_running(start: Start, tmp_path: Path) -> None:
    """Even SIGKILL, which nobody can catch: server and runner are ended and the server's folder removed."""
    process, server = _begun(start, tmp_path / "out")
    folder = Path(f"/proc/{server}/cwd").readlink()
    children = _children(process.pid)
    process.kill()
    process.communicate(timeout=60)
    assert [pid for pid in [server, *children] if not _gone(pid)] == []
    assert not folder.exists()


def test_a_hanging_runner_does_not_outlive_an_interrupt(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    """Ctrl-C while a runner hangs ends both."""
    environment["DOUBLE_TELLS"] = str(tmp_path / "hangs")
    process = start("run", "tiny", "--client", "double[mode=hangs]", "--out", tmp_path / "out")
    _await(process, (tmp_path / "hangs").exists)
    children = _children(process.pid)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert [pid for pid in children if not _gone(pid)] == []


def test_two_runs_at_once_are_refused(start: Start, respmark: Respmark, tmp_path: Path) -> None:
    """The second run ends with exit code 3 and says who is measuring."""
    process, _ = _begun(start, tmp_path / "first")
    second = respmark("run", "tiny")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert second.code == 3
    assert f"process {process.pid} of user " in second.errors
    assert "respmark run" in second.errors
    assert not second.out.exists()


def test_a_results_folder_that_cannot_be_made(respmark: Respmark, tmp_path: Path) -> None:
    """A file in the place of the folder ends with exit code 3 and names --out."""
    (tmp_path / "blocked").write_text("a file")
    finished = respmark("run", "tiny", out=tmp_path / "blocked" / "run")
    assert finished.code == 3
    assert "--out" in finished.errors


def test_a_run_is_never_written_over_another(respmark: Respmark) -> None:
    """The same --out twice is refused, and the first run's files stay."""
    first = respmark("run", "tiny")
    before = sorted(path.name for path in first.out.rglob("*"))
    again = respmark("run", "tiny")
    assert again.code == 3
    assert "is there already" in again.errors
    assert sorted(path.name for path in first.out.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root; ENOSPC is also a unit test")
def test_a_full_disk_stops_the_run_with_a_clear_word(respmark: Respmark, tmp_path: Path) -> None:
    """What has ended stays readable, the exit code is not 0, and the message names the disk."""
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=True)
    try:
        finished = respmark("run", "tiny", "--rounds", "40", "--slice-s", "0.02", out=small / "run")
        reported = respmark("report", small / "run")
    finally:
        subprocess.run(["umount", small], check=True)
    assert finished.code == 5
    assert "No space left on device" in finished.errors
    assert reported.code == 0, reported.errors
    assert "THIS RUN IS INCOMPLETE" in reported.output
