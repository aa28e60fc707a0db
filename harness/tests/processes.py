"""Processes that tests start, and look for."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OBEDIENT = "import time; print('up', flush=True); time.sleep(300)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + OBEDIENT
PARENT = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN!r}]); import time; time.sleep(300)"
"""Leads a group with a child that does not listen; the child says when it is up."""
ORPHANING = (
    f"import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', {OBEDIENT!r}]); sys.stdin.readline()"
)
"""The same, but it ends when it is told to, and leaves the child behind."""


def start(*command: str, user: int | None = None) -> "subprocess.Popen[bytes]":
    """Start a program in a process group of its own; return when it says that it is up."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True, user=user)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    return process


@contextmanager
def running(script: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a script; whatever the test does, it is gone afterwards.

    A thread reaps it as soon as it ends, as a system does with processes whose parent is no more.
    """
    with start(sys.executable, "-IS", "-c", script) as process:
        reaper = threading.Thread(target=process.wait)
        reaper.start()
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            reaper.join()


@contextmanager
def child(script: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a script that nobody reaps but the test."""
    with started(sys.executable, "-IS", "-c", script) as process:
        yield process


@contextmanager
def started(*command: str, user: int | None = None) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program, for root as another user, that nobody reaps but the test."""
    with start(*command, user=user) as process:
        try:
            yield process
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def gone(pid: int) -> bool:
    """Tell whether a process has ended; one that nobody has reaped yet has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def members(group: int) -> list[int]:
    """Return the running processes of a group, as the kernel lists them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(path.parent.name))
    return found


def started_by(pid: int) -> list[int]:
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it may end while we look
            continue
    found, last = [pid], 0
    while len(found) > last:
        last = len(found)
        found += [child for child, parent in parents.items() if parent in found and child not in found]
    return found[1:]
