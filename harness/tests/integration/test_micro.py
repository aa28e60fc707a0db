"""`respmark micro` as a user runs it: whole, failing, and interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from respmark.paths import BUILD
from tests.builders.plan import write_specs
from tests.micro.conftest import runner

LIMIT_S = 60


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return the command, whose specs have the runner `toy`."""
    write_specs(tmp_path / "specs", runners__toy=runner())
    return [sys.executable, "-m", "respmark", "micro", "toy", "--out", str(tmp_path / "out")]


def environment(tmp_path: Path) -> dict[str, str]:
    """Return the command's environment."""
    return os.environ | {"RESPMARK_SPECS": str(tmp_path / "specs"), "TMPDIR": str(tmp_path)}


def finish(command: list[str], tmp_path: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    return subprocess.run(
        [*command, *words], env=environment(tmp_path), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


def test_tables_and_folder(command: list[str], tmp_path: Path) -> None:
    """The user sees the table; `respmark report` shows it again."""
    finished = finish(command, tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "40.0 µs" in finished.stdout
    again = finish(command[:3], tmp_path, "report", str(tmp_path / "out"))
    assert again.stdout.strip() in finished.stdout
    assert BUILD.is_dir()


def test_a_failed_benchmark_ends_with_1(command: list[str], tmp_path: Path) -> None:
    """And is in the table."""
    finished = finish(command, tmp_path, "--filter", "some-fail")
    assert finished.returncode == 1
    assert "jedis (SET): failed: GET of key 7: a wrong value" in " ".join(finished.stdout.split())


def test_a_tool_without_results_ends_with_3(command: list[str], tmp_path: Path) -> None:
    """The last line on standard error says why."""
    finished = finish(command, tmp_path, "--filter", "fails")
    assert finished.returncode == 3
    assert finished.stderr.startswith("error: jmh ended with exit code 1 and left no results: something broke here")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_tool_ends_with_its_server(command: list[str], tmp_path: Path, number: signal.Signals) -> None:
    """Nothing is left running, and the code is that of an interrupted run."""
    with subprocess.Popen(
        [*command, "--filter", "hangs"], env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        _await(tmp_path / "out" / "raw" / "hanging", process)
        children = _descendants(process.pid)
        process.send_signal(number)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130
    assert len(children) >= 3  # guardian, server, tool
    assert not [pid for pid in children if _runs(pid)]


def _await(path: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + LIMIT_S
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [*children, *(further for child in children for further in _descendants(child))]


def _runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
