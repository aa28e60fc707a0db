"""What is recorded of a slice: moments, and the latencies and failures of each thread or task."""

import resource
from array import array
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from time import monotonic_ns
from typing import Any


def moment() -> tuple[int, int, int]:
    """Return the clock, and the user and system CPU time of this process, in ns."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return monotonic_ns(), round(usage.ru_utime * 1e9), round(usage.ru_stime * 1e9)


class Samples:
    """One thread's or task's: the loops store latencies in `storage` from `index` on, and count beyond its end."""

    def __init__(self, size: int, *, is_open: bool = False) -> None:
        # `array` stores an integer about as fast as a list does, and keeps no object for it. All of it is written here,
        # so no slice pays for a page fault.
        empty = bytes(8 * size)
        self.storage = array("q", empty)
        self.columns: dict[str, array[Any]] = {"latencies": self.storage}
        """By the name under which each is handed over."""
        if is_open:
            self.dues, self.lags = array("d", empty), array("d", empty)
            self.columns |= {"due": self.dues, "lags": self.lags}
        self.index = self.begin = self.dropped = self.failures = 0
        """`failures` are the failed units of a part that are in the storage, too: those of an open loop."""
        self.kept: list[int] = []
        """How many latencies of each kept slice are in the storage."""
        self.errors: Counter[str] = Counter()
        self.first_error: str | None = None

    def end_part(self, *, keep: bool) -> int:
        """Keep or forget the latencies of the part that has just ended; return how many units it had."""
        units, begin = self.index - self.begin - self.failures, self.begin
        if keep:
            self.begin = min(self.index, len(self.storage))
            self.kept.append(self.begin - begin)
            self.dropped += self.index - self.begin
        self.index, self.failures = self.begin, 0
        return units

    def failed(self, error: Exception) -> int:
        """Count a failed unit; return when it ended."""
        now = monotonic_ns()
        self.errors[type(error).__name__] += 1
        self.first_error = self.first_error or f"{type(error).__name__}: {error}"[:500]
        return now


def hand_over(every: Sequence[Samples]) -> dict[str, Any]:
    """Return what is kept of all threads or tasks, slice by slice, and empty their storage."""
    counts = [sum(kept) for kept in zip(*(one.kept for one in every), strict=True)]
    columns = {name: array("d") for name in every[0].columns}
    ends = [list(accumulate(one.kept, initial=0)) for one in every]
    for i in range(len(counts)):
        for one, end in zip(every, ends, strict=True):
            for name, column in columns.items():
                column.extend(memoryview(one.columns[name])[end[i] : end[i + 1]])
    dropped = sum(one.dropped for one in every)
    for one in every:
        one.index = one.begin = one.dropped = 0
        one.kept = []
    encoded = {name: b64encode(column).decode() for name, column in columns.items()}
    return {**encoded, "counts": counts, "dropped": dropped}
