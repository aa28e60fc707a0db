"""Whose containers these are: labels that distinguish a run in progress from a dead one."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Final

RUN_LABEL: Final = "org.respmark.run"
OWNER_LABEL: Final = "org.respmark.owner"
PROJECT_LABEL: Final = "com.docker.compose.project"
STARTED: Final = 19
"""Position of a process's start time in what follows its name in /proc/PID/stat."""


class Owner(StrEnum):
    """What became of the process that started something."""

    ALIVE = "alive"
    DEAD = "dead"
    ELSEWHERE = "elsewhere"
    """On another machine that uses the same engine, or unknown to us."""


def this_owner(pid: int | None = None, root: Path = Path("/")) -> str:
    """Return what distinguishes this process from every other: machine, boot, process ID, start time."""
    pid = os.getpid() if pid is None else pid
    machine, boot = _first_line(root / "etc/machine-id"), _first_line(root / "proc/sys/kernel/random/boot_id")
    return " ".join([machine or os.uname().nodename, boot or "-", str(pid), started(pid, root) or "-"])


def state(owner: str, root: Path = Path("/")) -> Owner:
    """Return what became of an owner; one that cannot be judged from here is left alone."""
    words = owner.split()
    ours = this_owner(root=root).split()
    if len(words) != len(ours) or words[0] != ours[0] or not words[2].isdecimal():
        return Owner.ELSEWHERE
    if words[1] != ours[1]:
        return Owner.DEAD
    return Owner.ALIVE if _runs(int(words[2]), words[3], root) else Owner.DEAD


def _runs(pid: int, start: str, root: Path) -> bool:
    if start == "-":  # a system without /proc
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True
    return started(pid, root) == start


def started(pid: int, root: Path = Path("/")) -> str | None:
    """Return when a process was started, in the kernel's ticks; later, its ID may be another process's."""
    try:
        stat = (root / f"proc/{pid}/stat").read_text()
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[STARTED]


def _first_line(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
