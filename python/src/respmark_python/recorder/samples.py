"""What one thread or task has completed: its latencies, and how many units they are."""

from array import array
from time import monotonic_ns
from typing import Final

from respmark_python.recorder.histogram import Histogram

STORAGE_SAMPLES: Final = 1 << 18
"""Samples that are kept unfolded, all together: 2 MiB, seconds of most scenarios."""
LEAST_SAMPLES: Final = 1 << 10


class Samples:
    """The samples of one thread or task; the loops store them in `storage` from `index` on."""

    def __init__(self, storage: "array[int]") -> None:
        self.storage = storage
        self.index = 0
        """Samples in the storage: those to keep, then those of the part of a slice that is under way."""
        self.histogram = Histogram()
        """Samples to keep that no longer are in the storage."""
        self._kept = 0
        self._overflow = Histogram()
        """Samples of the part under way that no longer are in the storage."""
        self._units = 0
        """Units of the parts that are over, and of the overflow."""

    def end_part(self, *, keep: bool) -> int:
        """Keep or drop the samples of the part of a slice that is over; return its units."""
        units = self.index - self._kept + self._overflow.counts.total()
        self._units = self.units_until(self.index)
        if keep:
            self.histogram.merge(self._overflow)
            self._kept = self.index
        self.index = self._kept
        self._overflow.clear()
        return units

    def end_slice(self) -> None:
        """Make room when more than half of the storage is taken."""
        if self.index > len(self.storage) // 2:
            self.fold()

    def fold(self) -> None:
        """Fold the samples to keep into the histogram; the storage is empty then."""
        self.histogram.add(memoryview(self.storage)[: self._kept])
        self.index = self._kept = 0

    def full(self, sample: int) -> int:
        """Fold the full storage and store the sample at its start; return the time, since folding is no latency."""
        self._units = self.units_until(len(self.storage))
        self._overflow.add(memoryview(self.storage)[self._kept :])
        self.fold()
        self.storage[0] = sample
        return monotonic_ns()

    def units_until(self, index: int) -> int:
        """Return how many units of the trial were completed, when those of the part under way go up to `index`."""
        return self._units + index - self._kept


def make_samples(count: int) -> list[Samples]:
    """Return the storage of each thread or task.

    `array` stores an integer in about the time that a list takes and keeps no object of it; it is written through
    here, so that no slice pays for a page fault.
    """
    size = max(STORAGE_SAMPLES // count, LEAST_SAMPLES)
    return [Samples(array("q", bytes(8 * size))) for _ in range(count)]
