"""Folds latency samples into the HdrHistogram scale with 3 significant digits."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

EXACT_BITS: Final = 11
"""Each value below 2**11 has its own bucket; above that, each power of two has 1,024."""


class Histogram:
    """Counts samples by the lowest value of their bucket."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.max_ns = 0

    def add(self, samples: Iterable[int]) -> None:
        """Fold samples in."""
        # Equal samples are counted first, in C: there are far fewer values than samples.
        for value_ns, count in Counter(samples).items():
            self.counts[bucket(value_ns)] += count
            self.max_ns = max(self.max_ns, value_ns)

    def merge(self, other: "Histogram") -> None:
        """Fold another histogram in."""
        self.counts.update(other.counts)
        self.max_ns = max(self.max_ns, other.max_ns)

    def clear(self) -> None:
        """Forget all samples."""
        self.counts.clear()
        self.max_ns = 0

    def pairs(self) -> list[tuple[int, int]]:
        """Return the sparse `[value_ns, count]`, ascending."""
        return sorted(self.counts.items())


def bucket(value_ns: int) -> int:
    """Return the lowest value of the value's bucket."""
    shift = max(0, value_ns.bit_length() - EXACT_BITS)
    return value_ns >> shift << shift
