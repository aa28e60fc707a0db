"""What the kernel says of the whole machine's CPU."""

import os
from dataclasses import dataclass
from pathlib import Path

STAT = Path("/proc/stat")


@dataclass(frozen=True)
class MachineCpu:
    """CPU time since boot, in ns, of all processors together."""

    busy_ns: int
    stolen_ns: int


def machine_cpu(stat: Path = STAT) -> MachineCpu | None:
    """Return the machine's CPU time, or None where the kernel does not tell (it is not Linux)."""
    try:
        first = stat.read_text().splitlines()[0]
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(word) for word in first.split()[1:9])
    tick_ns = 10**9 // os.sysconf("SC_CLK_TCK")
    return MachineCpu((user + nice + system + irq + softirq) * tick_ns, steal * tick_ns)
