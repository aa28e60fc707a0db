"""Ending what a run started, whatever becomes of the run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from respmark.target.guardian import Guardian
from tests.processes import OBEDIENT, gone, running


def test_what_is_protected_is_ended_when_the_guardian_is_closed(tmp_path: Path) -> None:
    """When close returns, processes are ended and folders removed."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("x")
    with running(OBEDIENT) as process:
        guardian = Guardian()
        guardian.protect_process(process.pid)
        guardian.protect_folder(tmp_path / "own")
        guardian.close()
        assert gone(process.pid)
    assert not (tmp_path / "own").exists()


def test_a_released_process_is_left_alone() -> None:
    """Its number may be another's by now."""
    with running(OBEDIENT) as process:
        guardian = Guardian()
        guardian.protect_process(process.pid)
        guardian.release_process(process.pid)
        guardian.close()
        assert process.poll() is None


def test_a_number_that_is_anothers_by_now_is_left_alone() -> None:
    """The process that is noted was started at another time than the one that has its number: it is not ours."""
    with running(OBEDIENT) as process:
        guardian = Guardian()
        guardian._tell("process", json.dumps([process.pid, 1]))
        guardian.close()
        assert process.poll() is None


def test_a_folder_that_was_removed_is_forgotten(tmp_path: Path) -> None:
    """What has its name later is another's."""
    guardian = Guardian()
    guardian.protect_folder(tmp_path / "own")
    guardian.release_folder(tmp_path / "own")
    (tmp_path / "own").mkdir()
    guardian.close()
    assert (tmp_path / "own").exists()


def test_everything_is_ended_when_the_run_is_killed(tmp_path: Path) -> None:
    """Even SIGKILL of the run leaves neither its processes nor its folders behind: the end of the pipe tells."""
    (tmp_path / "own").mkdir()
    with running(OBEDIENT) as process:
        run = (
            "import os, signal, sys; from pathlib import Path; from respmark.target.guardian import Guardian; "
            f"g = Guardian(); g.protect_process({process.pid}); g.protect_folder(Path({str(tmp_path / 'own')!r})); "
            "print(g._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
        )
        killed = subprocess.run([sys.executable, "-c", run], stdout=subprocess.PIPE, check=False)
        assert killed.returncode == -signal.SIGKILL
        process.wait()
    wait_for_end_of(int(killed.stdout))
    assert not (tmp_path / "own").exists()


def wait_for_end_of(pid: int) -> None:
    """Wait for a process that is not our child."""
    while not gone(pid):
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_guardian_outlives_the_signals_that_end_a_run(number: signal.Signals) -> None:
    """Ctrl-C and its like reach the run; the guardian still does its work."""
    with running(OBEDIENT) as process:
        guardian = Guardian()
        guardian.protect_process(process.pid)
        wait_until_it_ignores(guardian._process.pid, number)
        guardian._process.send_signal(number)
        guardian.close()
        assert guardian._process.returncode == 0
        assert gone(process.pid)


def wait_until_it_ignores(pid: int, number: int) -> None:
    """Wait until a process has set itself up."""
    ignored = 0
    while not ignored >> (number - 1) & 1:
        time.sleep(0.005)
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        ignored = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:"))


def test_the_guardian_has_a_session_of_its_own() -> None:
    """Ctrl-C in the terminal does not reach it."""
    guardian = Guardian()
    try:
        assert os.getsid(guardian._process.pid) == guardian._process.pid != os.getsid(0)
    finally:
        guardian.close()


def test_telling_a_closed_guardian_is_no_error() -> None:
    """What ends after the run's end has nobody to tell."""
    guardian = Guardian()
    guardian.close()
    guardian.release_process(1)
    guardian.close()
    assert guardian._process.returncode == 0


def commanded(mark: Path) -> list[str]:
    """Return a command that leaves a mark."""
    return [sys.executable, "-c", f"open({str(mark)!r}, 'a').write('done')"]


def test_a_command_is_run_when_the_run_ends(tmp_path: Path) -> None:
    """What is no process of this machine is ended by one."""
    made = Guardian()
    made.protect_command(commanded(tmp_path / "mark"))
    made.protect_command(["/no/such/program"])
    assert not (tmp_path / "mark").exists()
    made.close()
    assert (tmp_path / "mark").read_text() == "done"


def test_a_command_whose_work_is_done_is_not_run(tmp_path: Path) -> None:
    """The run has cleaned up itself."""
    made = Guardian()
    made.protect_command(commanded(tmp_path / "mark"))
    made.release_command(commanded(tmp_path / "mark"))
    made.close()
    assert not (tmp_path / "mark").exists()
