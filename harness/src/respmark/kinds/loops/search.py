"""The search for the highest rate at which each client of a block keeps to a goal, and its latency below that.

Searched from below: a client that fell behind takes long to recover. The clients take turns, each at its own next rate.
"""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from respmark.contract.rate import Goal
from respmark.kinds.loops.open_loop import OpenSlice
from respmark.kinds.loops.record import Aim, FoundRate, SearchEnd

UNKNOWN_RPS: Final = 5_000.0
"""Taken for what a client does in a closed loop, if it was not warmed up."""
FIRST_SHARE: Final = 0.2
"""Of what it did in a closed loop: where its search begins."""
GROWTH: Final = 1.5
"""By how much the rate grows until one fails."""
PRECISION: Final = 1.05
"""The search ends when the lowest rate that failed is so near to the highest that passed: slices differ by more."""
PASSES: Final = 4
"""A rate passes if so many slices keep to the goal, and fails with the second that does not."""
FAILS: Final = 2
LEAST_SHARE: Final = 0.01
"""Of what it did in a closed loop: where the search downwards gives up."""
OWN: Final = (Aim.HALF, Aim.SEVENTY, Aim.NINETY)
"""Shares of each client's own highest rate at which its latency is measured."""


def first_rate(closed_rps: float) -> float:
    """Return the rate at which a search begins, for a client that does so many commands per second in a closed loop."""
    return (closed_rps or UNKNOWN_RPS) * FIRST_SHARE


@dataclass
class Search:
    """The search of one client."""

    goal: Goal
    closed_rps: float
    """What it did in a closed loop."""
    held: float = 0.0
    """The highest rate that passed."""
    failed: float = math.inf
    """The lowest rate that failed."""
    _results: defaultdict[float, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.rate: float | None = first_rate(self.closed_rps)
        """The next one to try, in commands per second; None: the search is over."""

    def learn(self, one: OpenSlice) -> None:
        """Take in a slice at the present rate."""
        if self.rate is None:
            return
        reached_ns = float(np.percentile(one.response, self.goal.percentile)) if len(one.response) else math.inf
        results = self._results[self.rate]
        results.append(reached_ns <= self.goal.limit_ns and not one.is_saturated and not one.failed)
        passes, is_first_look = results.count(True), math.isinf(self.failed)
        if passes >= (1 if is_first_look else PASSES):
            self.held = max(self.held, self.rate)
        elif len(results) - passes >= FAILS:
            self.failed = min(self.failed, self.rate)
            self.held = max((rate for rate in self._results if rate < self.failed and self._passed(rate)), default=0.0)
        else:
            return
        self.rate = self._next()

    def found(self, *, is_cut_short: bool) -> FoundRate:
        """Return what is known by now, when nothing more will be learned."""
        if self.rate is None:
            ended = SearchEnd.FOUND if self.held else SearchEnd.NONE_HELD
        else:
            ended = SearchEnd.CUT_SHORT if is_cut_short else SearchEnd.LAPS
        failed = None if math.isinf(self.failed) else self.failed
        return FoundRate(held=self.held or None, failed=failed, ended=ended)

    def _passed(self, rate: float) -> bool:
        results = self._results[rate]
        return results.count(True) > len(results) / 2

    def _next(self) -> float | None:
        if math.isinf(self.failed):
            return self.held * GROWTH
        if not self.held:
            lower = self.failed / GROWTH
            return lower if lower > (self.closed_rps or UNKNOWN_RPS) * LEAST_SHARE else None
        if self.failed / self.held > PRECISION:
            return math.sqrt(self.held * self.failed)
        # One that passed in a single slice on the way up is confirmed.
        return self.held if self._results[self.held].count(True) < PASSES else None


@dataclass
class Curve:
    """What the clients of a block do next: search, then so many slices at shares of what each found."""

    slices: int
    """At each share."""
    _left: dict[int, list[tuple[Aim, float]]] | None = None

    def begin_lap(self, every: Collection[Search]) -> None:
        """Go on to the points if nobody looks for a rate any more: all in the same lap, so that they take turns."""
        if self._left is None and all(one.rate is None for one in every):
            self._left = {id(one): self._points(one, every) for one in every}

    def next(self, one: Search) -> tuple[Aim, float] | None:
        """Return what a client does in this lap, and its rate; None: nothing."""
        if self._left is None:
            return None if one.rate is None else (Aim.SEARCH, one.rate)
        left = self._left[id(one)]
        return left.pop(0) if left else None

    def is_over(self, every: Collection[Search]) -> bool:
        """Return whether no client has anything left to do."""
        return not every or (self._left is not None and not any(self._left[id(one)] for one in every))

    def _points(self, one: Search, every: Collection[Search]) -> list[tuple[Aim, float]]:
        if not one.held:
            return []
        common = Aim.COMMON.share * min(other.held for other in every if other.held)
        points = [*((aim, one.held * aim.share) for aim in OWN), (Aim.COMMON, common)]
        return points * self.slices
