"""How long a run still takes: the plan's estimate, corrected by how long its blocks really took."""

import time

from respmark.plan.estimate import block_estimate_s
from respmark.plan.trial import Plan


class TimeLeft:
    """The time that a plan has left; blocks of many clients weigh more than those of few."""

    def __init__(self, plan: Plan) -> None:
        self._estimates_s = [block_estimate_s(plan, block) for block in plan.rounds]
        self._done_s = 0.0
        """What the blocks that have ended took."""
        self._done_estimate_s = 0.0
        """What was estimated for them."""
        self._block_began_s = 0.0
        self._running = False
        self.number = 0
        """Of the block that runs, from 1."""

    @property
    def total(self) -> int:
        """Return how many blocks there are; a run that goes on until it is precise has more than its plan."""
        return max(len(self._estimates_s), self.number)

    def block_started(self, number: int) -> None:
        """Take the time of a block's start; one before it may have been passed over."""
        self.number = number
        self._block_began_s = time.monotonic()
        self._running = True

    def block_ended(self) -> None:
        """Learn from how long the block took."""
        self._done_s += time.monotonic() - self._block_began_s
        self._done_estimate_s += self._estimate_s(self.number)
        self._running = False

    @property
    def seconds(self) -> float:
        """Return about how long it still takes."""
        pace = self._done_s / self._done_estimate_s if self._done_estimate_s else 1.0
        later = pace * sum(self._estimates_s[self.number :])
        if not self._running:
            return later
        used = time.monotonic() - self._block_began_s
        return later + max(0.0, pace * self._estimate_s(self.number) - used)

    @property
    def words(self) -> str:
        """Write it."""
        return f"about {duration(self.seconds)} left"

    def _estimate_s(self, number: int) -> float:
        if number <= len(self._estimates_s):
            return self._estimates_s[number - 1]
        return self._estimates_s[-1] if self._estimates_s else 0.0


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above
