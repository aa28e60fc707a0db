"""Process groups of what was started, identified in such a way that the wrong process is never signalled.

The kernel gives a process ID to another process once its owner was reaped and its group is empty. Therefore a child's
group is ended before the child is reaped, and a process that is not the parent compares the leader's start time with
the parent's reading. Start times are the kernel's clock ticks since the machine was started, because times of day move
when the clock is set. Without /proc (macOS) the ID alone is used, but only until the parent says that the process was
reaped, which it says at once.

psutil would do less: it identifies processes, but neither groups nor what is left of one whose leader has ended, and it
reaps a child when it looks whether that has ended. Only the reading of start times would become shorter.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

PATIENCE_S: Final = 3.0
"""Between asking a process to end and killing it."""
LOOK_AGAIN_S: Final = 0.01
ASKING: Final = (signal.SIGTERM, signal.SIGCONT)
"""What asks a process to end, also one that is stopped."""
PROC: Final = Path("/proc")


def start_time(pid: int) -> int | None:
    """Return when a process was started; None if it has ended, or if there is no /proc."""
    return _group_and_start(str(pid))[1]


def _group_and_start(pid: str) -> tuple[int | None, int | None]:
    try:
        fields = (PROC / pid / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None, None
    return (None, None) if fields[0] in {"Z", "X"} else (int(fields[2]), int(fields[19]))


class ProcessGroup(NamedTuple):
    """The group that a process leads or led."""

    leader: int
    started: int | None
    """The leader's start time; None if the system does not report it."""

    def is_left(self) -> bool:
        """Return whether any of its processes is running; none is where its ID is another's by now."""
        if not PROC.exists():
            return _signal(self.leader, 0)
        if start_time(self.leader) not in {None, self.started}:
            return False
        return any(_group_and_start(path.name)[0] == self.leader for path in PROC.iterdir() if path.name.isdecimal())

    def signal(self, number: int) -> bool:
        """Signal the whole group; return whether it had a process that may be signalled."""
        return self.is_left() and _signal(self.leader, number)


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a child has ended, without reaping it, so its ID stays its own."""
    if process.returncode is not None:
        return True
    if hasattr(os, "waitid"):
        return _has_waited(process, os.WNOHANG)
    if process.poll() is None:
        return False
    # Looking has reaped it: what is left of its group is killed at once, never later.
    _signal(process.pid, signal.SIGKILL)
    return True


def _has_waited(process: "subprocess.Popen[bytes]", how: int = 0) -> bool:
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | how) is not None
    except ChildProcessError:
        return True


def await_end(process: "subprocess.Popen[bytes]", limit_s: float) -> bool:
    """Wait for a child to end, without reaping it; return whether it did."""
    deadline = time.monotonic() + limit_s
    while not has_ended(process):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_AGAIN_S)
    return True


def reap(process: "subprocess.Popen[bytes]") -> int:
    """Wait for a child to end, kill what is left of its group, and return its exit code."""
    if process.returncode is None:
        _has_waited(process) if hasattr(os, "waitid") else process.wait()
        _signal(process.pid, signal.SIGKILL)
    return process.wait()


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a child and its group: ask first, kill after PATIENCE_S. A child that was reaped is left alone."""
    for numbers in (ASKING, (signal.SIGKILL,)):
        if not has_ended(process):
            for number in numbers:
                _signal(process.pid, number)
            await_end(process, PATIENCE_S)
    if has_ended(process):
        reap(process)
    else:
        sys.stderr.write(
            f"respmark: process {process.pid} could not be stopped: this user may not signal it, or it hangs\n"
        )


def end_groups(groups: Collection[ProcessGroup]) -> None:
    """End groups whose leaders are other processes' children: ask first, kill after PATIENCE_S."""
    left = [group for group in groups if all(map(group.signal, ASKING))]
    for number in (0, signal.SIGKILL):
        deadline = time.monotonic() + PATIENCE_S
        # More than once: a process may have started another one during the search.
        while (left := [group for group in left if group.signal(number)]) and time.monotonic() < deadline:
            time.sleep(LOOK_AGAIN_S)


def _signal(leader: int, number: int) -> bool:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
