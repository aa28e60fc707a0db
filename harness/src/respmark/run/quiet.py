"""Waits before a slice until the processes that are waiting for their turn are quiet.

Compilers and garbage collectors go on working after a turn has ended. On a machine with few processors, they would take
time from the next client. What they use counts as CPU time of the client that they belong to.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

LOOK_S: Final = 0.005
"""How long CPU use is watched before it is judged."""
QUIET_SHARE: Final = 0.1
"""Share of one processor that all waiting processes together may use: more than heartbeats, less than a compiler."""
BEFORE_SLICE_S: Final = 0.03
"""The longest wait before a slice; a client that is never quiet must not hold up the run."""
BEFORE_LAPS_S: Final = 1.0
"""The longest wait after the warm-up, which leaves the most to compile."""


class Waiting(Protocol):
    """Something whose CPU time can be read while it waits."""

    def cpu_ns(self) -> int | None:
        """Return the CPU time of its processes since they started; None if not counted."""


def wait_until_quiet(
    waiting: Sequence[Waiting],
    limit_s: float,
    clock: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Wait until those in `waiting` use next to no CPU, but at most `limit_s`; return whether they became quiet."""
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
