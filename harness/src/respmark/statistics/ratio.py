"""Medians, such as those of the ratios of rounds, with bootstrap intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

RESAMPLES: Final = 10_000


@dataclass(frozen=True)
class Interval:
    """A median with its interval at the stated confidence."""

    median: float
    low: float
    high: float
    confidence: float

    def excludes(self, value: float) -> bool:
        """Return whether `value` lies outside the interval."""
        return not self.low <= value <= self.high


def median_interval(values: Sequence[float], confidence: float = 0.95, seed: int = 1) -> Interval:
    """Return the median of `values` with its percentile bootstrap interval.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13. Rounds (or pairs of runs) are resampled,
    never single operations, which are not independent of each other. All of n values lie on one side of the true median
    in 2 / 2**n of cases: with fewer than 6 values, there is no 95 % interval, and the one returned is unbounded.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        message = "an interval needs at least one value"
        raise ValueError(message)
    sample = np.asarray(values, dtype=np.float64)
    if 2 * 0.5 ** len(sample) > 1 - confidence:
        return Interval(float(np.median(sample)), -math.inf, math.inf, confidence)
    rng = np.random.Generator(np.random.PCG64(seed))
    medians = np.median(rng.choice(sample, (RESAMPLES, len(sample))), axis=1)
    tail = (1 - confidence) / 2 * 100
    low, high = np.percentile(medians, [tail, 100 - tail])
    return Interval(float(np.median(sample)), float(low), float(high), confidence)
