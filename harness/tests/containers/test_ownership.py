"""Whose containers these are."""

import os
import subprocess
import sys
from pathlib import Path

from respmark.containers.ownership import Owner, started, state, this_owner


def kernel(root: Path, *, machine: str = "m1", boot: str = "b1", processes: dict[int, int] | None = None) -> Path:
    """Write what a kernel would tell of these processes and their start times."""
    (root / "etc").mkdir(parents=True, exist_ok=True)
    (root / "etc/machine-id").write_text(machine)
    (root / "proc/sys/kernel/random").mkdir(parents=True, exist_ok=True)
    (root / "proc/sys/kernel/random/boot_id").write_text(boot)
    for pid, start in (processes or {}).items():
        (root / f"proc/{pid}").mkdir(exist_ok=True)
        (root / f"proc/{pid}/stat").write_text(f"{pid} (a (strange) name) S {' '.join(['0'] * 18)} {start} 0 0")
    return root


def test_a_process_that_runs_is_alive(tmp_path: Path) -> None:
    """Machine, boot, number and start are its own."""
    root = kernel(tmp_path, processes={7: 1234})
    assert this_owner(7, root) == "m1 b1 7 1234"
    assert state("m1 b1 7 1234", root) is Owner.ALIVE


def test_a_number_that_another_process_has_now_is_not_it(tmp_path: Path) -> None:
    """Numbers come again."""
    root = kernel(tmp_path, processes={7: 9999})
    assert state("m1 b1 7 1234", root) is Owner.DEAD


def test_a_process_that_is_gone_or_was_there_before_a_restart_is_dead(tmp_path: Path) -> None:
    """Nothing survives a restart."""
    root = kernel(tmp_path, processes={7: 1234})
    assert state("m1 b1 8 1234", root) is Owner.DEAD
    assert state("m1 b0 7 1234", root) is Owner.DEAD


def test_who_cannot_be_judged_from_here_is_left_alone(tmp_path: Path) -> None:
    """Another machine may share the engine; labels may be anybody's."""
    root = kernel(tmp_path, processes={7: 1234})
    for owner in ("m2 b1 8 1234", "", "somebody", "m1 b1 seven 1234"):
        assert state(owner, root) is Owner.ELSEWHERE


def test_this_process_is_alive_and_a_child_that_ended_is_dead() -> None:
    """With the real kernel's words."""
    assert state(this_owner()) is Owner.ALIVE
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = this_owner(child.pid)
    assert state(owner) is Owner.ALIVE
    child.communicate(b"\n", timeout=30)
    assert state(owner) is Owner.DEAD
    assert started(os.getpid()) is not None
