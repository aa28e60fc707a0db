"""What the kernel says of the machine's CPU."""

import os
from pathlib import Path

from respmark.evidence.kernel import MachineCpu, machine_cpu

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


def test_busy_is_everything_but_idle_waiting_and_stolen(tmp_path: Path) -> None:
    """User, nice, system and interrupts are busy; the guests in columns nine and ten stand in user time already."""
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 20 30 4000 500 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
    assert machine_cpu(stat) == MachineCpu(busy_ns=(100 + 20 + 30 + 6 + 7) * TICK_NS, stolen_ns=80 * TICK_NS)


def test_a_system_without_the_file_has_no_figure(tmp_path: Path) -> None:
    """Where the kernel does not tell, nothing is made up."""
    assert machine_cpu(tmp_path / "stat") is None
