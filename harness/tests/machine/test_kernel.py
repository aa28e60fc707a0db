"""What the kernel says of CPU and memory."""

import os
import time
from pathlib import Path

from respmark.machine.kernel import (
    MachineCpu,
    machine_cpu,
    named_threads_cpu_ns,
    process_cpu_ns,
)

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


def test_busy_is_everything_but_idle_waiting_and_stolen(tmp_path: Path) -> None:
    """User, nice, system and interrupts are busy; the guests in columns nine and ten stand in user time already."""
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 20 30 4000 500 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
    assert machine_cpu(stat) == MachineCpu(busy_ns=(100 + 20 + 30 + 6 + 7) * TICK_NS, stolen_ns=80 * TICK_NS)


def test_the_cpu_of_a_process_grows_with_its_work() -> None:
    """Counted in ns by the kernel, of all its threads: never less than the process itself counted before."""
    own_ns = time.process_time_ns()
    before = process_cpu_ns(os.getpid())
    assert before is not None
    assert before >= own_ns
    while time.process_time_ns() < own_ns + 1_000_000:
        pass
    after = process_cpu_ns(os.getpid())
    assert after is not None
    assert after > before


def test_threads_are_counted_by_their_names(tmp_path: Path) -> None:
    """Of all the processes, in ns; threads with other names, and those that have just ended, are not."""
    for pid, thread, name, used_ns in ((7, 8, "C2 CompilerThre", 30), (7, 9, "main", 500), (17, 18, "C1 Compiler", 4)):
        task = tmp_path / str(pid) / "task" / str(thread)
        task.mkdir(parents=True)
        (task / "comm").write_text(f"{name}\n")
        (task / "schedstat").write_text(f"{used_ns} 1 2\n")
    (tmp_path / "7/task/10").mkdir()
    names = ("C1 Compiler", "C2 CompilerThre")
    assert named_threads_cpu_ns([7, 17], names, tmp_path) == 34
    assert named_threads_cpu_ns([7], ("nobody",), tmp_path) == 0
    assert named_threads_cpu_ns([7, 8], names, tmp_path) is None  # a process that is not there
