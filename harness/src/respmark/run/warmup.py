"""When a client is warm: one rule for every language."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

LOOKED_AT: Final = 8
"""The last slices, in which throughput and CPU per command must show no trend."""
TREND: Final = 14
"""Kendall's S over 8 values: 11 in 100 series without a trend reach it (Kendall, Rank Correlation Methods, 1955)."""


@dataclass
class WarmUpLog:
    """What the slices of one warm-up showed."""

    rates: list[float] = field(default_factory=list)
    """Commands a second, by slice."""
    costs: list[float] = field(default_factory=list)
    """CPU in ns per command, by slice."""
    work_s: float = 0.0

    def add(self, rate: float, cost: float, work_s: float) -> None:
        """Note one slice."""
        self.rates.append(rate)
        self.costs.append(cost)
        self.work_s += work_s

    @property
    def is_steady(self) -> bool:
        """Tell whether the last slices show no trend, of throughput or of CPU per command."""
        if len(self.rates) < LOOKED_AT:
            return False
        return not any(has_trend(series[-LOOKED_AT:]) for series in (self.rates, self.costs))


def has_trend(values: Sequence[float]) -> bool:
    """Tell whether 8 values rise or fall more consistently than chance lets them (Mann-Kendall)."""
    return abs(sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))) >= TREND
