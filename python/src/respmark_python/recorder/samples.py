"""What one thread or task has completed: how many units, and their latencies."""

from array import array
from time import monotonic_ns
from typing import Final

from respmark_python.recorder.histogram import Histogram

STORAGE_SAMPLES: Final = 1 << 18
"""How many samples all threads or tasks can hold unfolded: 2 MiB, seconds of most scenarios."""
LEAST_SAMPLES: Final = 1 << 10


class Samples:
    """The samples of one thread or task; the loops store them in `storage` from `index` on."""

    def __init__(self, storage: "array[int]") -> None:
        self.storage = storage
        self.index = 0
        """How many samples are in the storage: first those to keep, then those of the part under way."""
        self.histogram = Histogram()
        """Samples to keep that are no longer in the storage."""
        self._kept = 0
        self._overflow = Histogram()
        """Samples of the part under way that are no longer in the storage."""
        self._units = 0
        """Units of the parts that are over, and of the overflow."""

    def end_part(self, *, keep: bool) -> int:
        """Keep or drop the samples of the part that has just ended; return how many units it had."""
        units = self.index - self._kept + self._overflow.counts.total()
        self._units = self.units_until(self.index)
        if keep:
            self.histogram.merge(self._overflow)
            self._kept = self.index
        self.index = self._kept
        self._overflow.clear()
        return units

    def end_slice(self) -> None:
        """Fold the samples if they take up more than half of the storage."""
        if self.index > len(self.storage) // 2:
            self.fold()

    def fold(self) -> None:
        """Fold the samples to keep into the histogram, which empties the storage."""
        self.histogram.add(memoryview(self.storage)[: self._kept])
        self.index = self._kept = 0

    def full(self, sample: int) -> int:
        """Fold the full storage and store the sample at its start; return the time: folding is not latency."""
        self._units = self.units_until(len(self.storage))
        self._overflow.add(memoryview(self.storage)[self._kept :])
        self.fold()
        self.storage[0] = sample
        return monotonic_ns()

    def units_until(self, index: int) -> int:
        """Return how many units of the trial are completed if the storage is filled up to `index`."""
        return self._units + index - self._kept


def make_samples(count: int) -> list[Samples]:
    """Return the storage of each thread or task.

    `array` stores an integer about as fast as a list does, and keeps no object for it. All of it is written here, so no
    slice pays for a page fault.
    """
    size = max(STORAGE_SAMPLES // count, LEAST_SAMPLES)
    return [Samples(array("q", bytes(8 * size))) for _ in range(count)]
