"""How many laps a round of a block gets, in a suite that says how many minutes it may take.

Every round costs fresh processes and their warm-up; every further lap costs little. The number of laps that narrows a
ratio most in a given time is the square root of what a round costs in laps, times how much more laps vary than
processes do (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013). Where the suite's minutes do not
allow that many, all blocks share what is left.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from respmark.plan.needs import lap_estimate_s, preparation_estimate_s
from respmark.plan.trial import BlockRound, Plan
from respmark.specs.runner import RunnerSpec

LAP_VARIANCE: Final = 20.0
"""Variance of a ratio of RPS between laps, divided by its variance between fresh processes: 0.142² / 0.031² in the
published run of `quick`."""
LEAST: Final = 0.6
"""The fewest laps, as a share of the suite's own number. Of five, one may be lost without the trial's failing."""
MOST: Final = 2.0
"""The most laps, likewise: more would help little against what the processes' own luck does."""
ESTIMATED_S: Final = 60.0
"""The plan's estimate counts as much as blocks of this length that took as long as was estimated."""


@dataclass(frozen=True)
class Spent:
    """How long a round of a block took."""

    prepared_s: float
    """Everything but its laps."""
    laps: int
    laps_s: float


@dataclass
class Pace:
    """The costs of a plan's blocks as they become known, and the time that is left for the rounds to come."""

    plan: Plan
    runners: Mapping[str, RunnerSpec]
    end_s: float
    """When the run is to end, by `clock`."""
    clock: Callable[[], float] = time.monotonic
    _ahead: list[BlockRound] = field(init=False)
    """Rounds of blocks that have not begun."""
    _spent: dict[str, list[Spent]] = field(init=False, default_factory=dict)
    """By block."""

    def __post_init__(self) -> None:
        self._ahead = list(self.plan.rounds)

    def begins(self, block: BlockRound) -> None:
        """A round of a block begins, or is passed over because it was measured before."""
        self._ahead = [one for one in self._ahead if (one.name, one.round) != (block.name, block.round)]

    def ended(self, block: BlockRound, spent: Spent) -> None:
        """Learn what a round of a block took."""
        self._spent.setdefault(block.name, []).append(spent)

    def laps(self, block: BlockRound, prepared_s: float) -> int:
        """Return how many laps a round of a block gets, whose preparation took so long."""
        planned, one_lap_s = self.plan.settings.laps, self._lap_s(block)
        best = math.sqrt(prepared_s / one_lap_s * LAP_VARIANCE)
        left_s = self.end_s - self.clock() - sum(map(self._preparation_s, self._ahead))
        affordable = left_s / (one_lap_s + sum(map(self._lap_s, self._ahead)))
        return max(self._least, math.floor(min(MOST * planned, best, affordable)))

    def affords(self, block: BlockRound) -> bool:
        """Return whether one more round of a block ends in time."""
        return self.clock() + self._preparation_s(block) + self._least * self._lap_s(block) <= self.end_s

    @property
    def _least(self) -> int:
        return math.ceil(LEAST * self.plan.settings.laps)

    def _lap_s(self, block: BlockRound) -> float:
        spent = self._spent.get(block.name, [])
        laps = sum(one.laps for one in spent)
        return sum(one.laps_s for one in spent) / laps if laps else lap_estimate_s(self.plan.settings, block)

    def _preparation_s(self, block: BlockRound) -> float:
        if spent := self._spent.get(block.name):
            return fmean(one.prepared_s for one in spent)
        # By what factor preparing blocks takes longer than was estimated, as far as is known.
        known = {one.name: one for one in self.plan.rounds if one.name in self._spent}
        took_s = sum(one.prepared_s for name in known for one in self._spent[name])
        estimated_s = sum(self._estimate_s(one) * len(self._spent[name]) for name, one in known.items())
        return (took_s + ESTIMATED_S) / (estimated_s + ESTIMATED_S) * self._estimate_s(block)

    def _estimate_s(self, block: BlockRound) -> float:
        return preparation_estimate_s(self.plan.settings, block, self.runners)
