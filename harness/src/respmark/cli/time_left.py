"""How long a run still takes: the plan's estimate, corrected by how long its blocks really took."""

import time
from collections.abc import Mapping
from statistics import fmean
from typing import Final

from respmark.plan.estimate import block_estimate_s
from respmark.plan.trial import Plan
from respmark.specs.runner import RunnerSpec

PLAN_S: Final = 60.0
"""The plan's estimate counts as much as blocks of this length that took as long as was estimated: the first blocks do
not tell the pace of all."""


class TimeLeft:
    """The time that a plan has left.

    A block that has run takes as long again in its next round; one that has not takes its estimate, by the pace of
    those that have.
    """

    def __init__(self, plan: Plan, runners: Mapping[str, RunnerSpec], fills_s: float = 0.0) -> None:
        """`fills_s` is how long the run goes on if its rounds end earlier."""
        self._end_s = time.monotonic() + fills_s
        self._names = [block.name for block in plan.rounds]
        self._estimates_s = {block.name: block_estimate_s(plan, block, runners) for block in plan.rounds}
        self._took_s: dict[str, list[float]] = {}
        """How long each block took, a value a round."""
        self._block_began_s = 0.0
        self._block = ""
        """The block that runs; empty between blocks."""
        self.number = 0
        """Of the last block that was started, from 1."""

    @property
    def total(self) -> int:
        """Return how many blocks there are; a run that goes on until it is precise has more than its plan."""
        return max(len(self._names), self.number)

    def block_started(self, number: int, name: str) -> None:
        """Take the time of a block's start; one before it may have been passed over."""
        self.number, self._block = number, name
        self._block_began_s = time.monotonic()

    def block_ended(self) -> None:
        """Learn from how long the block took."""
        self._took_s.setdefault(self._block, []).append(time.monotonic() - self._block_began_s)
        self._block = ""

    @property
    def seconds(self) -> float:
        """Return about how long it still takes."""
        return max(self._end_s - time.monotonic(), self._of_blocks_s)

    @property
    def words(self) -> str:
        """Write it."""
        return f"about {duration(self.seconds)} left"

    @property
    def _of_blocks_s(self) -> float:
        """Return about how long the plan's blocks still take."""
        pace = self._pace
        later = sum(self._expected_s(name, pace) for name in self._names[self.number :])
        if not self._block:
            return later
        return later + max(0.0, self._expected_s(self._block, pace) - (time.monotonic() - self._block_began_s))

    @property
    def _pace(self) -> float:
        """Return by what factor blocks take longer than was estimated for them."""
        took = sum(sum(rounds) for rounds in self._took_s.values())
        estimated = sum(self._estimates_s[name] * len(rounds) for name, rounds in self._took_s.items())
        return (took + PLAN_S) / (estimated + PLAN_S)

    def _expected_s(self, name: str, pace: float) -> float:
        return fmean(self._took_s[name]) if name in self._took_s else pace * self._estimates_s[name]


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above
