"""What the kernel says about CPU time and memory, of the machine, of processes and of threads."""

import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
STAT = Path("/proc/stat")
MEMORY = Path("/proc/meminfo")
MOST_THREADS = 2**22
"""Linux gives no thread an ID as high as this (PID_MAX_LIMIT)."""


@dataclass(frozen=True)
class MachineCpu:
    """CPU time since boot, in ns, of all processors together."""

    busy_ns: int
    stolen_ns: int

    def since(self, before: "MachineCpu") -> "MachineCpu":
        """Return what was used since an earlier reading."""
        return MachineCpu(max(0, self.busy_ns - before.busy_ns), max(0, self.stolen_ns - before.stolen_ns))


def machine_cpu(stat: Path = STAT) -> MachineCpu | None:
    """Return the machine's CPU time, or None if the kernel does not say (it is not Linux)."""
    try:
        first = stat.read_text().splitlines()[0]
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(word) for word in first.split()[1:9])
    tick_ns = 10**9 // os.sysconf("SC_CLK_TCK")
    return MachineCpu((user + nice + system + irq + softirq) * tick_ns, steal * tick_ns)


def process_cpu_ns(pid: int) -> int | None:
    """Return the CPU time of a process and all its threads since it started; None if the kernel does not say.

    Linux has a clock for every process, which counts in ns (clock_getcpuclockid(3)); its ID is computed from the pid.
    """
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def threads_cpu_ns(pid: int) -> dict[int, int] | None:
    """Return the CPU time of every thread of a process, by thread ID; None if the kernel does not say."""
    try:
        return {int(task.name): _scheduled_ns(task) for task in (PROC / str(pid) / "task").iterdir()}
    except (OSError, ValueError):
        return None


def named_threads_cpu_ns(pids: Iterable[int], names: Collection[str], proc: Path = PROC) -> int | None:
    """Return the CPU time of all threads with one of these names (15 characters); None if the kernel does not say."""
    try:
        tasks = [task for pid in pids for task in (proc / str(pid) / "task").iterdir()]
        return sum(_scheduled_ns(task) for task in tasks if _read(task / "comm").rstrip("\n") in names)
    except (OSError, ValueError):
        return None


def _scheduled_ns(task: Path) -> int:
    """Return the first field of schedstat(5), CPU time in ns; 0 for a thread that has just ended."""
    return int((_read(task / "schedstat").split() or ["0"])[0])


def _read(file: Path) -> str:
    """Return what the kernel says about a thread; nothing about one that has just ended."""
    try:
        return file.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def used_ns(before: Mapping[int, int] | None, after: Mapping[int, int] | None) -> dict[int, int]:
    """Return the CPU time of every thread between two readings, by thread ID; empty if either is unknown."""
    if before is None or after is None:
        return {}
    return {thread: ns - before.get(thread, 0) for thread, ns in after.items()}


def together_ns(by_process: Iterable[Mapping[int, int] | None]) -> dict[int, int] | None:
    """Return the CPU time of every thread of several processes; None if that of one of them is unknown.

    Processes on several hosts may have threads of the same ID: those of each but the first are moved out of the way.
    """
    found: dict[int, int] = {}
    for place, threads in enumerate(by_process):
        if threads is None:
            return None
        found |= {MOST_THREADS * place + thread: ns for thread, ns in threads.items()}
    return found


def busiest_ns(before: Mapping[int, int] | None, after: Mapping[int, int] | None) -> int | None:
    """Return the CPU time of the thread that used the most between two readings; None if either is unknown."""
    return max((0, *used.values())) if (used := used_ns(before, after)) else None


def more_ns(before: int | None, after: int | None) -> int | None:
    """Return the CPU time between two readings; None if either is unknown, 0 if it fell because a thread ended."""
    return None if before is None or after is None else max(0, after - before)


def available_memory_bytes() -> int | None:
    """Return the memory that programs can get without swapping; None if the kernel does not say."""
    return _kibibytes(MEMORY, "MemAvailable:")


def peak_memory_bytes(pid: int) -> int | None:
    """Return a process's largest resident set since it was last forgotten; None if the kernel does not say."""
    return _kibibytes(PROC / str(pid) / "status", "VmHWM:")


def _kibibytes(path: Path, name: str) -> int | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), None)
