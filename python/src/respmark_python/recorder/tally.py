"""What one thread or task has done: samples, units, failures."""

from array import array
from collections import Counter
from time import monotonic_ns
from typing import Final

from respmark_python.errors import TargetError
from respmark_python.recorder.histogram import Histogram

FAILURES_IN_A_ROW: Final = 25
"""So many failed units in a row of one thread or task mean that the target is lost."""
PATIENCE_NS: Final = 10_000_000_000
"""So do failures in a row that took so long: a library's own retries can make 25 failures last minutes.

Both are the contract's limits, the same in every language."""
STORAGE_SAMPLES: Final = 1 << 18
"""Samples that are kept unfolded, all together: 2 MiB, seconds of most scenarios."""
LEAST_SAMPLES: Final = 1 << 10


class TargetLostError(TargetError):
    """Nothing succeeds any more; `error` is the last failure."""

    def __init__(self, error: Exception, failures: int) -> None:
        super().__init__(f"the target was lost: {failures} units in a row failed")
        self.error = error


class Tally:
    """The record of one thread or task; the loops store samples in `samples` and call it after failures only."""

    def __init__(self, samples: "array[int]") -> None:
        self.samples = samples
        self.index = 0
        """Samples in the storage: those to keep, then those of the part of a slice that is under way."""
        self.histogram = Histogram()
        """Samples to keep that no longer are in the storage."""
        self.errors: Counter[str] = Counter()
        self.first_error: Exception | None = None
        self._kept = 0
        self._overflow = Histogram()
        """Samples of the part under way that no longer are in the storage."""
        self._units = 0
        """Units of the parts that are over, and of the overflow."""
        self._units_at_failure: int | None = None
        self._in_a_row = 0
        self._failing_ns = 0

    def begin_slice(self) -> None:
        """Forget the errors of the slice before."""
        self.errors, self.first_error = Counter(), None

    def end_part(self, *, keep: bool) -> int:
        """Keep or drop the samples of the part of a slice that is over; return its units."""
        units = self.index - self._kept + self._overflow.counts.total()
        self._units = self._units_until(self.index)
        if keep:
            self.histogram.merge(self._overflow)
            self._kept = self.index
        self.index = self._kept
        self._overflow.clear()
        return units

    def end_slice(self) -> None:
        """Make room when more than half of the storage is taken."""
        if self.index > len(self.samples) // 2:
            self.fold()

    def fold(self) -> None:
        """Fold the samples to keep into the histogram; the storage is empty then."""
        self.histogram.add(memoryview(self.samples)[: self._kept])
        self.index = self._kept = 0

    def full(self, sample: int) -> int:
        """Fold the full storage and store the sample at its start; return the time, since folding is no latency."""
        self._units = self._units_until(len(self.samples))
        self._overflow.add(memoryview(self.samples)[self._kept :])
        self.fold()
        self.samples[0] = sample
        return monotonic_ns()

    def failed(self, error: Exception, index: int, then: int) -> int:
        """Count a failed unit that began at `then`; return when it ended.

        Raises:
            TargetLostError: it was one too many, or nothing has succeeded for too long.
        """
        now, units = monotonic_ns(), self._units_until(index)
        self.errors[type(error).__name__] += 1
        self.first_error = self.first_error or error
        if units != self._units_at_failure:
            self._units_at_failure, self._in_a_row, self._failing_ns = units, 0, 0
        self._in_a_row += 1
        self._failing_ns += now - then
        if self._in_a_row >= FAILURES_IN_A_ROW or self._failing_ns >= PATIENCE_NS:
            raise TargetLostError(error, self._in_a_row)
        return now

    def _units_until(self, index: int) -> int:
        return self._units + index - self._kept


def make_tallies(count: int) -> list[Tally]:
    """Return a tally for each thread or task.

    `array` stores an integer in about the time that a list takes and keeps no object of it; it is written through
    here, so that no slice pays for a page fault.
    """
    samples = max(STORAGE_SAMPLES // count, LEAST_SAMPLES)
    return [Tally(array("q", bytes(8 * samples))) for _ in range(count)]
