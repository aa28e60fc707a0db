"""What one walker has done in a window: samples, units, failures, and the moments on the way."""

from array import array
from collections import Counter
from collections.abc import Callable
from time import perf_counter_ns
from typing import Final

from respmark_python.contract.events import Half
from respmark_python.errors import TargetError
from respmark_python.recorder.histogram import Histogram
from respmark_python.recorder.window import SECOND_NS, Window

Progress = Callable[[int, int], None]
"""Told, once a second, the nanoseconds since the window began and the units completed."""
OVER: Final = 0
"""The checkpoint of a window that is over: every clock reading lies beyond it."""
FAILURES_IN_A_ROW: Final = 25
"""So many failed units of one walker in a row mean that the target is lost."""
PATIENCE_NS: Final = 5 * SECOND_NS
"""So does so long without a unit that succeeds: a library's own retries can make 25 failures last minutes."""
STORAGE_SAMPLES: Final = 1 << 21
"""Samples that are kept unfolded, all walkers together: 16 MiB, a minute and more of most scenarios."""
LEAST_SAMPLES: Final = 1 << 10


class TargetLostError(TargetError):
    """Nothing succeeds any more; `error` is the last failure."""

    def __init__(self, error: Exception, failures: int) -> None:
        super().__init__(f"the target was lost: {failures} units in a row failed")
        self.error = error


def make_storage(walkers: int) -> list["array[int]"]:
    """Return storage for each walker's samples.

    `array` stores an integer in about the time that a list takes and keeps no object of it; it is written through
    here, so that the window pays for no page fault.
    """
    samples = max(STORAGE_SAMPLES // walkers, LEAST_SAMPLES)
    return [array("q", bytes(8 * samples)) for _ in range(walkers)]


class Tally:
    """One walker's record; the loops store samples in `samples` and call the rest at checkpoints only."""

    def __init__(self, samples: "array[int]", window: Window, on_tick: Progress | None = None) -> None:
        self.samples = samples
        self.index = 0
        """Samples in the storage, for loops that share it."""
        self.checkpoint = OVER
        """When to look up next, for loops that share it."""
        self.histogram = Histogram()
        self.errors: Counter[str] = Counter()
        self.first_error: Exception | None = None
        self.half: Half | None = None
        """Units, not commands, done when the first unit at or after half of the window ended, if another came after."""
        self.units_before_last = 0
        """Units done before the one that ended the window: all there were at half of it, when `half` is None."""
        self.ended_ns = 0
        self.published_units = 0
        """Units done at the last tick."""
        self._window = window
        self._on_tick = on_tick
        self._tick_ns = 0
        self._folded = 0
        self._units_at_failure: int | None = None
        self._failing_since_ns = 0

    @property
    def units(self) -> int:
        """Units that succeeded."""
        return self._folded + self.index

    @property
    def is_failing(self) -> bool:
        """Whether nothing has succeeded since the last failure."""
        return self._units_at_failure == self.units

    def begin(self) -> int:
        """Return the first checkpoint of the window, which is open."""
        self._tick_ns = self._window.start_ns + SECOND_NS
        self.checkpoint = self._next_checkpoint()
        return self.checkpoint

    def reached(self, now: int, index: int) -> int:
        """Note what `now`, at or after a checkpoint, means; return the next checkpoint, or OVER."""
        self.index = index
        if now >= self._window.end_ns:
            self.ended_ns, self.checkpoint = now, OVER
            self.units_before_last = max(self.units - 1, 0)
            return OVER
        if self.half is None and now >= self._window.half_ns:
            self.half = Half(self.units, now - self._window.start_ns)
        if now >= self._tick_ns:
            self._tick(now)
        self.checkpoint = self._next_checkpoint()
        return self.checkpoint

    def full(self, sample: int) -> int:
        """Fold the full storage and store the sample at its start; return the time, since folding is no latency."""
        self.index = len(self.samples)
        self.fold()
        self.samples[0] = sample
        return perf_counter_ns()

    def fold(self) -> None:
        """Fold the samples into the histogram; the storage is empty then."""
        self.histogram.add(memoryview(self.samples)[: self.index])
        self._folded += self.index
        self.index = 0

    def failed(self, error: Exception, index: int, in_a_row: int) -> int:
        """Count a failed unit; return when it ended.

        Raises:
            TargetLostError: it was one too many, or nothing has succeeded for too long.
        """
        now = perf_counter_ns()
        self.index = index
        self.errors[type(error).__name__] += 1
        self.first_error = self.first_error or error
        if not self.is_failing:
            self._units_at_failure, self._failing_since_ns = self.units, now
        if in_a_row >= FAILURES_IN_A_ROW or now - self._failing_since_ns >= PATIENCE_NS:
            raise TargetLostError(error, in_a_row)
        return now

    def _tick(self, now: int) -> None:
        self.published_units = self.units
        self._tick_ns += (now - self._tick_ns) // SECOND_NS * SECOND_NS + SECOND_NS
        if self._on_tick:
            self._on_tick(now - self._window.start_ns, self.units)

    def _next_checkpoint(self) -> int:
        half = self._window.end_ns if self.half else self._window.half_ns
        return min(half, self._tick_ns, self._window.end_ns)
