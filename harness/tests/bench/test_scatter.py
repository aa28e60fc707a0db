"""The kernel's counters beside each slice."""

import os
import subprocess
import sys

import pytest

from bench.scatter import as_csv, busiest_cpu, machine_counts, process_counts, table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_a_process_that_waits_again_and_again_has_switches() -> None:
    """Counted by the real kernel, for all its threads; one that has ended has nothing."""
    command = "import time; [time.sleep(0.001) for _ in range(50)]; print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        counts = process_counts(process.pid)
        assert counts["voluntary switches"] >= 50
        assert counts["page faults"] > 100
        assert busiest_cpu(process.pid) in os.sched_getaffinity(process.pid)
        process.communicate(b"\n")
    assert set(process_counts(process.pid).values()) == {0.0}
    assert set(machine_counts()) == {"irq, ticks", "softirq, ticks", "steal, ticks"}


def test_the_table_says_what_goes_with_throughput() -> None:
    """By rank: the more migrations, the slower; what never changes says nothing."""
    slices = [{"RPS": 1000.0 - number, "migrations": float(number), "steal": 0.0} for number in range(10)]
    lines = list(table(slices))
    assert lines[0].startswith("10 slices, RPS 996, ")
    assert "| migrations | 4.5 | 0.0 | 9.0 | -1.00 | 0.000 |" in lines
    assert lines[-1] == "| steal | 0.0 | 0.0 | 0.0 | | |"
    assert as_csv(slices).splitlines()[:2] == ["RPS,migrations,steal", "1000.0,0.0,0.0"]
