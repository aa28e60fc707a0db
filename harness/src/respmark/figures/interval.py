"""Geometric mean over rounds, with its 95 % interval."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from respmark.figures.estimate import CONFIDENCE, LEAST_ROUNDS
from respmark.figures.student import student_quantile


class Interval(NamedTuple):
    """A mean over rounds with its 95 % interval."""

    mean: float
    low: float | None = None
    """None if there are too few rounds for an interval."""
    high: float | None = None


def over_rounds(values: Sequence[float]) -> Interval:
    """Return the geometric mean of positive values, one a round, with its interval (Student's t of their logarithms).

    Raises ValueError if there is no value, or one that is not positive.
    """
    logarithms = [math.log(value) for value in values]
    if not logarithms:
        raise ValueError("no round has a value")
    mean = fmean(logarithms)
    if len(logarithms) < LEAST_ROUNDS:
        return Interval(math.exp(mean))
    error = stdev(logarithms, mean) / math.sqrt(len(logarithms))
    reach = student_quantile(len(logarithms) - 1, (1 + CONFIDENCE) / 2) * error
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))
