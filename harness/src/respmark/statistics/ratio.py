"""Ratios within rounds, with bootstrap intervals over rounds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

RESAMPLES: Final = 10_000


@dataclass(frozen=True)
class Interval:
    """A median with the interval that holds it at the stated confidence."""

    median: float
    low: float
    high: float
    confidence: float

    def excludes(self, value: float) -> bool:
        """Tell whether `value` lies outside."""
        return not self.low <= value <= self.high


def median_interval(values: Sequence[float], confidence: float = 0.95, seed: int = 1) -> Interval:
    """Return the median of `values` with its percentile bootstrap interval.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13. What is resampled are rounds (or pairs of
    runs): never single operations, which are not independent of each other. Of n values,
    all lie on one side of the true median in 2 / 2**n of cases: with fewer than 6, there is no interval of 95 %, and
    the one returned is unbounded.

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
