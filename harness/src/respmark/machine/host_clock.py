"""How far the clock of another host is from this machine's: CLOCK_MONOTONIC begins anew on each host."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

KEPT: Final = 64
"""Readings that are looked at; a busy host gives so many in about a second."""
DRIFT: Final = 1e-4
"""By how much two clocks may go apart, in seconds a second: NTP slews by at most 500 ppm, quartz by about 50."""


class Reading(NamedTuple):
    """A look at the other clock, between two looks at our own, all in ns."""

    asked_ns: int
    theirs_ns: int
    answered_ns: int

    @property
    def offset_ns(self) -> int:
        """Return how far the other clock was ahead, if both ways took as long (Cristian, 1989)."""
        return self.theirs_ns - (self.asked_ns + self.answered_ns) // 2

    def error_ns(self, now_ns: int) -> int:
        """Return by how much that may be wrong by now: half the round trip, and the drift since."""
        return (self.answered_ns - self.asked_ns) // 2 + round((now_ns - self.answered_ns) * DRIFT)


@dataclass
class HostClock:
    """The clock of another host, from the best of the last readings."""

    _readings: deque[Reading] = field(default_factory=lambda: deque(maxlen=KEPT))
    _best: Reading = field(default_factory=lambda: Reading(0, 0, 0))

    def learn(self, reading: Reading) -> None:
        """Take one more reading into account; one that contradicts what is known shows that a clock has jumped."""
        both_ns = reading.error_ns(reading.answered_ns) + self._best.error_ns(reading.answered_ns)
        if abs(reading.offset_ns - self._best.offset_ns) > both_ns:
            self._readings.clear()
        self._readings.append(reading)
        self._best = min(self._readings, key=lambda one: one.error_ns(reading.answered_ns))

    def theirs(self, ours_ns: int) -> int:
        """Return a moment of our clock by the other one."""
        return ours_ns + self._best.offset_ns

    def ours(self, theirs_ns: int) -> int:
        """Return a moment of the other clock by our own."""
        return theirs_ns - self._best.offset_ns

    def error_ns(self, now_ns: int) -> int:
        """Return by how much translated moments may be wrong."""
        return self._best.error_ns(now_ns)
