"""Process groups of what was started, identified in such a way that the wrong process is never signalled.

The kernel gives a process ID to another process once its owner was reaped and its group is empty. Therefore:

- A child's group is ended before the child is reaped: until then, its ID cannot belong to another process.
- A process that is not the parent holds a pidfd, which never refers to another process, and compares the start time
  with the parent's reading.
- Kernels that can signal a whole group through a pidfd (Linux 6.9) are asked to do that. On older ones, each member is
  looked up in /proc and signalled through its own pidfd. If neither is possible (macOS), the ID itself is used, but
  only until the parent says that the process was reaped, which it says at once.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

PATIENCE_S: Final = 3.0
"""Between asking a process to end and killing it."""
LOOK_AGAIN_S: Final = 0.02
WHOLE_GROUP: Final = 4
"""The kernel's PIDFD_SIGNAL_PROCESS_GROUP, for which Python has no name."""
GATE: Final = ("/bin/sh", "-c", 'read -r go && exec "$@"', "respmark")
"""Put before a command that nothing else would end. The command starts when OPEN_GATE is written to its standard input,
which is done once the guardian knows of it: if we are killed in between, it never starts."""
OPEN_GATE: Final = b"go\n"
PROC: Final = Path("/proc")


class Stat(NamedTuple):
    """What /proc says about a process."""

    state: str
    group: int
    session: int
    started: int
    """In clock ticks since the machine was started."""

    @property
    def is_running(self) -> bool:
        """Return whether it has not ended; a process that waits to be reaped has."""
        return self.state not in {"Z", "X"}


def stat_of(pid: int) -> Stat | None:
    """Return what /proc says about a process; None: there is no such process, or no /proc."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return Stat(state=fields[0], group=int(fields[2]), session=int(fields[3]), started=int(fields[19]))


def start_time(pid: int) -> int | None:
    """Return when a process was started, which distinguishes it from an earlier one with the same ID."""
    stat = stat_of(pid)
    return None if stat is None else stat.started


@dataclass(frozen=True)
class ProcessGroup:
    """The group, and session, that a process leads or led."""

    leader: int
    started: int | None
    """None if the system does not report it."""
    pidfd: int | None
    """None if the system has no pidfds, or the leader was already gone."""

    @classmethod
    def of(cls, leader: int, started: int | None = None) -> Self | None:
        """Return the group of this process; None: the ID is nobody's, or that of a process with another start time."""
        # Opened first: if the start time is right afterwards, this is the process.
        pidfd = _pidfd(leader)
        found = start_time(leader)
        is_another = found is not None and started is not None and found != started
        is_unknown = found is None and started is None and PROC.joinpath("self").exists()
        if is_another or is_unknown:
            _close(pidfd)
            return None
        return cls(leader, started if found is None else found, pidfd)

    def close(self) -> None:
        """Close the leader's pidfd."""
        _close(self.pidfd)

    def signal(self, number: int) -> bool:
        """Signal the whole group; return whether it had a process that may be signalled."""
        if self.pidfd is not None:
            try:
                signal.pidfd_send_signal(self.pidfd, number, None, WHOLE_GROUP)
            except (ProcessLookupError, PermissionError):
                return False
            except OSError:
                pass  # an older kernel
            else:
                return True
        if self.started is not None:
            return sum(_signal_one(pid, self, number) for pid in self.members()) > 0
        return _signal_number(self.leader, number)

    def members(self) -> list[int]:
        """Return its running processes, as far as /proc shows them."""
        return [pid for pid in _numbers() if self.holds(pid)]

    def holds(self, pid: int) -> bool:
        """Return whether a running process belongs to it."""
        stat = stat_of(pid)
        if stat is None or not stat.is_running or (stat.group, stat.session) != (self.leader, self.leader):
            return False
        led = start_time(self.leader)
        is_still_ours = led is None or led == self.started
        return is_still_ours and self.started is not None and stat.started >= self.started

    def is_left(self) -> bool:
        """Return whether any of its processes is still running."""
        return bool(self.members()) if self.started is not None else _signal_number(self.leader, 0)


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a child has ended, without reaping it, so its ID stays its own."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return _has_ended_and_is_reaped(process)
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _has_ended_and_is_reaped(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a child has ended, where looking reaps it: then its group is killed at once, never later."""
    if process.poll() is None:
        return False
    _signal_number(process.pid, signal.SIGKILL)
    return True


def await_end(process: "subprocess.Popen[bytes]", limit_s: float) -> bool:
    """Wait for a child to end, without reaping it; return whether it did."""
    deadline = time.monotonic() + limit_s
    pidfd = None if has_ended(process) else _pidfd(process.pid)
    try:
        while not has_ended(process):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            _sleep_until_end(pidfd, left_s)
    finally:
        _close(pidfd)
    return True


def reap(process: "subprocess.Popen[bytes]") -> int:
    """Reap a child that has ended, after killing what is left of its group, and return its exit code."""
    if process.returncode is None and (group := ProcessGroup.of(process.pid)) is not None:
        group.signal(signal.SIGKILL)
        group.close()
    return process.wait()


@contextlib.contextmanager
def swept(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill, afterwards, what is left of a child's group, if the child was reaped in the meantime."""
    group = ProcessGroup.of(process.pid) if process.returncode is None else None
    try:
        yield
    finally:
        if group is not None:
            if process.returncode is not None:
                group.signal(signal.SIGKILL)
            group.close()


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a child and its group: ask first, kill after PATIENCE_S. A child that was reaped is left alone."""
    if process.returncode is not None:
        return
    if not has_ended(process) and (group := ProcessGroup.of(process.pid)) is not None:
        group.signal(signal.SIGTERM)
        if not await_end(process, PATIENCE_S):
            group.signal(signal.SIGKILL)
        group.close()
    if await_end(process, PATIENCE_S):
        reap(process)
    else:
        sys.stderr.write(f"respmark: process {process.pid} could not be ended; it is not ours to end, or it hangs\n")


def end_groups(groups: Collection[ProcessGroup]) -> None:
    """End groups whose leaders are other processes' children: ask first, kill after PATIENCE_S."""
    left = [group for group in groups if group.signal(signal.SIGTERM)]
    left = _left(left, time.monotonic() + PATIENCE_S)
    # More than once: a process may have started another one during the search.
    deadline = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < deadline:
        left = [group for group in left if group.signal(signal.SIGKILL) and group.is_left()]
        time.sleep(LOOK_AGAIN_S)


def _left(groups: list[ProcessGroup], deadline: float) -> list[ProcessGroup]:
    while (left := [group for group in groups if group.is_left()]) and time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN_S)
    return left


def _sleep_until_end(pidfd: int | None, limit_s: float) -> None:
    if pidfd is None:
        time.sleep(min(LOOK_AGAIN_S, limit_s))
        return
    watch = select.poll()
    watch.register(pidfd, select.POLLIN)
    watch.poll(limit_s * 1000)


def _pidfd(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    with contextlib.suppress(OSError):
        return os.pidfd_open(pid)
    return None


def _close(pidfd: int | None) -> None:
    if pidfd is not None:
        os.close(pidfd)


def _signal_one(pid: int, group: ProcessGroup, number: int) -> bool:
    pidfd = _pidfd(pid)
    try:
        # Checked again, with the pidfd open: it cannot refer to another process.
        if pidfd is None or not group.holds(pid):
            return False
        signal.pidfd_send_signal(pidfd, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        _close(pidfd)
    return True


def _signal_number(leader: int, number: int) -> bool:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _numbers() -> list[int]:
    return [int(path.name) for path in PROC.iterdir() if path.name.isdecimal()]
