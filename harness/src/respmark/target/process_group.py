"""Process groups of what was started, identified in such a way that the wrong process is never signalled.

The kernel gives a process ID to another process once its owner was reaped and its group is empty. Therefore a child's
group is ended before the child is reaped, and a process that is not the parent compares the leader's start time with
the parent's reading. Start times are the kernel's clock ticks since the machine was started, because times of day move
when the clock is set. Without /proc (macOS) the ID alone is used, but only until the parent says that the process was
reaped, which it says at once.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple

PATIENCE_S: Final = 3.0
"""Between asking a process to end and killing it."""
LOOK_AGAIN_S: Final = 0.01
GATE: Final = ("/bin/sh", "-c", 'read -r go && exec "$@"', "respmark")
"""Put before a command that nothing else would end. The command starts when OPEN_GATE is written to its standard input,
which is done once the guardian knows of it: if we are killed in between, it never starts."""
OPEN_GATE: Final = b"go\n"
PROC: Final = Path("/proc")


class Stat(NamedTuple):
    """What /proc says about a running process."""

    group: int
    started: int


def start_time(pid: int) -> int | None:
    """Return when a process was started; None if it has ended, or if there is no /proc."""
    stat = _stat(pid)
    return None if stat is None else stat.started


def _stat(pid: int | str) -> Stat | None:
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in {"Z", "X"} else Stat(int(fields[2]), int(fields[19]))


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
        stats = (_stat(path.name) for path in PROC.iterdir() if path.name.isdecimal())
        return any(stat is not None and stat.group == self.leader for stat in stats)

    def signal(self, number: int) -> bool:
        """Signal the whole group; return whether it had a process that may be signalled."""
        return self.is_left() and _signal(self.leader, number)


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a child has ended, without reaping it, so its ID stays its own."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        if process.poll() is None:
            return False
        # Looking has reaped it: what is left of its group is killed at once, never later.
        _signal(process.pid, signal.SIGKILL)
        return True
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
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
    """Reap a child that has ended, after killing what is left of its group, and return its exit code."""
    if process.returncode is None:
        _signal(process.pid, signal.SIGKILL)
    return process.wait()


@contextlib.contextmanager
def swept(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill, afterwards, what is left of a child's group, if the child was reaped in the meantime."""
    group = ProcessGroup(process.pid, start_time(process.pid)) if process.returncode is None else None
    try:
        yield
    finally:
        if group is not None and process.returncode is not None:
            group.signal(signal.SIGKILL)


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a child and its group: ask first, kill after PATIENCE_S. A child that was reaped is left alone."""
    if process.returncode is not None:
        return
    if not has_ended(process):
        _signal(process.pid, signal.SIGTERM)
        if not await_end(process, PATIENCE_S):
            _signal(process.pid, signal.SIGKILL)
    if await_end(process, PATIENCE_S):
        reap(process)
    else:
        sys.stderr.write(f"respmark: process {process.pid} could not be ended; it is not ours to end, or it hangs\n")


def end_groups(groups: Collection[ProcessGroup]) -> None:
    """End groups whose leaders are other processes' children: ask first, kill after PATIENCE_S."""
    left = [group for group in groups if group.signal(signal.SIGTERM)]
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
