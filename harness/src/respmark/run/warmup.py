"""When a client is warm: one rule for every language.

Throughput and CPU time per command are not enough to judge by. While a compiler is busy, both may be stable for a
second, at four times the CPU time and two thirds of the throughput that follow (docs/statistics.md has figures).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Final

from respmark.plan.loops import LEAST_TOGETHER

LOOKED_AT: Final = 8
"""How many slices alone, the last ones, must show no trend in throughput and in CPU time per command."""
TREND: Final = 14
"""Kendall's S over 8 values: 11 in 100 series without a trend reach it (Kendall, Rank Correlation Methods, 1955)."""
COMPILING_PERCENT: Final = 5.0
"""Compilers that use less than this in the last slices are done: what they still compile is rarely used."""


@dataclass
class WarmUpLog:
    """What the slices of a warm-up showed: those beside others, or those alone."""

    rates: list[float] = field(default_factory=list)
    """Commands per second, by slice."""
    costs: list[float] = field(default_factory=list)
    """CPU time per command in ns, by slice."""
    compiling: list[float] = field(default_factory=list)
    """CPU time of just-in-time compilers in percent of the slice's time, by slice; empty if not counted."""
    work_s: float = 0.0

    def add(self, rate: float, cost: float, work_s: float, compiling_ns: int | None = None) -> None:
        """Add one slice."""
        self.rates.append(rate)
        self.costs.append(cost)
        self.work_s += work_s
        if compiling_ns is not None:
            self.compiling.append(compiling_ns / work_s / 1e7)

    @property
    def compiling_percent(self) -> float | None:
        """Return the CPU time of compilers in the last slices, in percent of their time; None if not counted."""
        return fmean(self.compiling[-LOOKED_AT:]) if self.compiling else None

    @property
    def is_compiled(self) -> bool:
        """Return whether it has worked a little and its compilers are idle: beside others, nothing else can be told."""
        busy = self.compiling[-LEAST_TOGETHER:]
        return len(self.rates) >= LEAST_TOGETHER and (fmean(busy) if busy else 0.0) <= COMPILING_PERCENT

    @property
    def is_steady(self) -> bool:
        """Return whether the last slices show no trend in throughput or CPU time per command, and no busy compilers."""
        if len(self.rates) < LOOKED_AT or (self.compiling_percent or 0.0) > COMPILING_PERCENT:
            return False
        return not any(has_trend(series[-LOOKED_AT:]) for series in (self.rates, self.costs))


def has_trend(values: Sequence[float]) -> bool:
    """Return whether 8 values rise or fall more consistently than chance explains (Mann-Kendall)."""
    return abs(sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))) >= TREND
