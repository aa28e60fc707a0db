"""What others use of the machine: its CPU time less that of this process and of its children that have ended."""

import resource
import time
from dataclasses import dataclass, field
from typing import Final

from respmark.machine.kernel import MachineCpu, machine_cpu

SAMPLE_S: Final = 0.5
"""How long others are watched at the least."""
RECENT_S: Final = 5.0
"""A first look that is older than this is replaced by a new one."""


def _own_ns() -> int:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)


@dataclass(frozen=True)
class Load:
    """Shares of one processor, in percent."""

    busy_percent: float
    stolen_percent: float
    """What the hypervisor took."""


@dataclass(frozen=True)
class Watch:
    """A look at the machine, for a second one to be compared with."""

    at_ns: int = field(default_factory=time.monotonic_ns)
    machine: MachineCpu | None = field(default_factory=machine_cpu)
    own_ns: int = field(default_factory=_own_ns)

    def others(self) -> Load | None:
        """Return what others have used since; waits until that is long enough. None: it cannot be read here."""
        elapsed_s = (time.monotonic_ns() - self.at_ns) / 1e9
        if elapsed_s > RECENT_S:
            return Watch().others()
        time.sleep(max(0.0, SAMPLE_S - elapsed_s))
        now = Watch()
        if self.machine is None or now.machine is None:
            return None
        used, elapsed_ns = now.machine.since(self.machine), max(1, now.at_ns - self.at_ns)
        busy_ns = max(0, used.busy_ns - (now.own_ns - self.own_ns))
        return Load(busy_ns / elapsed_ns * 100, used.stolen_ns / elapsed_ns * 100)


SINCE_START: Final = Watch()
"""Taken at import, so that a run need not wait SAMPLE_S."""
