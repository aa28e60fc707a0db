"""The moments of a slice: the clock, and the CPU time of this process."""

import resource
from time import monotonic_ns
from typing import Final

from respmark_python.contract.events import Moment

SECOND_NS: Final = 1_000_000_000


def opening_moment() -> Moment:
    """Return this moment, the clock read first: CPU time counted from here on was used after it."""
    at_ns = monotonic_ns()
    return Moment(at_ns, *_cpu())


def closing_moment() -> Moment:
    """Return this moment, the clock read last: CPU time counted up to here was used before it."""
    user_ns, system_ns = _cpu()
    return Moment(monotonic_ns(), user_ns, system_ns)


def _cpu() -> tuple[int, int]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_utime * SECOND_NS), round(usage.ru_stime * SECOND_NS)
