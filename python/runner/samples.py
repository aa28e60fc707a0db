"""What is recorded of a slice: moments, and the latencies and failures of each thread or task."""

import base64
import resource
from array import array
from collections import Counter
from collections.abc import Sequence
from time import monotonic_ns
from typing import Any, Final

LEAST_SAMPLES: Final = 1 << 10
"""Of one thread or task."""
MESSAGE_LENGTH: Final = 500
Moment = tuple[int, int, int]


def opening_moment() -> Moment:
    """Return the clock, read first, and the user and system CPU time of this process, in ns."""
    at_ns = monotonic_ns()
    return at_ns, *_cpu_ns()


def closing_moment() -> Moment:
    """Return the same with the clock read last: CPU time counted up to here was used before it."""
    user_ns, system_ns = _cpu_ns()
    return monotonic_ns(), user_ns, system_ns


def _cpu_ns() -> tuple[int, int]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_utime * 1e9), round(usage.ru_stime * 1e9)


class Samples:
    """One thread's or task's: the loops store latencies in `storage` from `index` on, and count beyond its end."""

    def __init__(self, size: int) -> None:
        # `array` stores an integer about as fast as a list does, and keeps no object for it. All of it is written here,
        # so no slice pays for a page fault.
        self.storage = array("q", bytes(8 * max(size, LEAST_SAMPLES)))
        self.index = 0
        self.kept: list[int] = []
        """How many latencies of each kept slice are in the storage."""
        self.dropped = 0
        """How many did not fit."""
        self.errors: Counter[str] = Counter()
        self.first_error: str | None = None
        self._begin = 0

    def begin_slice(self) -> None:
        """Forget the errors of the slice before."""
        self.errors, self.first_error = Counter(), None

    def end_part(self, *, keep: bool) -> int:
        """Keep or forget the latencies of the part that has just ended; return how many units it had."""
        units, begin = self.index - self._begin, self._begin
        if keep:
            self._begin = min(self.index, len(self.storage))
            self.kept.append(self._begin - begin)
            self.dropped += self.index - self._begin
        self.index = self._begin
        return units

    def failed(self, error: Exception) -> int:
        """Count a failed unit; return when it ended."""
        now = monotonic_ns()
        self.errors[type(error).__name__] += 1
        self.first_error = self.first_error or f"{type(error).__name__}: {error}"[:MESSAGE_LENGTH]
        return now

    def empty(self) -> None:
        """Forget what was handed over."""
        self.index = self._begin = self.dropped = 0
        self.kept.clear()


def hand_over(every: Sequence[Samples]) -> dict[str, Any]:
    """Return the kept latencies of all threads or tasks, slice by slice, and empty their storage."""
    latencies, counts, begins = array("d"), [], [0] * len(every)
    for place in range(len(every[0].kept)):
        before = len(latencies)
        for i, one in enumerate(every):
            end = begins[i] + one.kept[place]
            latencies.extend(memoryview(one.storage)[begins[i] : end])
            begins[i] = end
        counts.append(len(latencies) - before)
    dropped = sum(one.dropped for one in every)
    for one in every:
        one.empty()
    return {"latencies": base64.b64encode(latencies).decode(), "counts": counts, "dropped": dropped}
