"""The measured window: its clock, its CPU time, its ends."""

import resource
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Final

SECOND_NS: Final = 1_000_000_000


@dataclass(frozen=True)
class Cpu:
    """CPU time of this process, all threads."""

    user_ns: int
    system_ns: int

    def since(self, earlier: "Cpu") -> "Cpu":
        """Return what was used since then."""
        return Cpu(self.user_ns - earlier.user_ns, self.system_ns - earlier.system_ns)


def cpu_now() -> Cpu:
    """Return the CPU time used so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return Cpu(round(usage.ru_utime * SECOND_NS), round(usage.ru_stime * SECOND_NS))


class Window:
    """Opens at `go` and lasts so long; whoever walks looks here for its half and its end."""

    def __init__(self, duration_s: float) -> None:
        self.duration_ns = round(duration_s * SECOND_NS)
        self.start_ns = self.half_ns = self.end_ns = 0
        self.cpu = Cpu(0, 0)

    def open(self) -> None:
        """Begin now."""
        self.cpu = cpu_now()
        self.start_ns = perf_counter_ns()
        self.half_ns = self.start_ns + self.duration_ns // 2
        self.end_ns = self.start_ns + self.duration_ns

    def close(self) -> None:
        """End now: from here on `cpu` is what the window used."""
        self.cpu = cpu_now().since(self.cpu)
