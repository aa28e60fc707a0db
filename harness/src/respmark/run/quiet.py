"""Waits, before a slice, until the processes that wait for their turn are quiet.

Compilers and collectors go on working after a turn has ended. On a machine with few processors they would take the
next client's time. What they use is counted as the CPU of the client that they belong to.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

LOOK_S: Final = 0.005
"""How long CPU is watched."""
QUIET_SHARE: Final = 0.1
"""Of one processor, used by all that wait together: more than heartbeats use, less than a compiler."""
BEFORE_SLICE_S: Final = 0.03
"""The longest wait for it before a slice; whoever is never quiet must not hold up the run."""
BEFORE_LAPS_S: Final = 1.0
"""The longest wait for it after the warm-up, which leaves most to compile."""


class Waiting(Protocol):
    """Something whose CPU can be read while it waits."""

    def cpu_ns(self) -> int | None:
        """Return the CPU of its processes since they started; None where nobody counts it."""


def wait_until_quiet(
    waiting: Sequence[Waiting],
    limit_s: float,
    clock: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Wait until those who wait use next to no CPU, or for `limit_s`; tell whether they came to be quiet."""
    end_ns = clock() + limit_s * 1e9
    at_ns, used_ns = clock(), _used_ns(waiting)
    while at_ns < end_ns:
        sleep(LOOK_S)
        then_ns, then_used_ns = clock(), _used_ns(waiting)
        if then_used_ns - used_ns <= QUIET_SHARE * (then_ns - at_ns):
            return True
        at_ns, used_ns = then_ns, then_used_ns
    return False


def _used_ns(waiting: Sequence[Waiting]) -> int:
    return sum(one.cpu_ns() or 0 for one in waiting)
