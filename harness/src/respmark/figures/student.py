"""Student's t distribution, and the first derivatives of the logarithm of the gamma function.

SciPy has them, too, and takes 130 MB; tests hold these against it.
"""

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

SMALLEST: Final = 1e-300
"""Stands for 0 where something is divided by it."""
EXACT: Final = 1e-15
LARGE: Final = 12.0
"""From here on, the asymptotic series of the gamma function's derivatives are as exact as a float."""


def student_cdf(degrees: float, value: float) -> float:
    """Return the probability that Student's t, with these degrees of freedom, is at most `value`."""
    square = value * value
    beyond = _beta_share(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square)) / 2
    return beyond if value < 0 else 1 - beyond


@lru_cache(maxsize=4096)
def student_quantile(degrees: float, probability: float) -> float:
    """Return the value that Student's t does not exceed with this probability, which is above 0 and below 1."""
    if probability < 0.5:  # noqa: PLR2004 - the median
        return -student_quantile(degrees, 1 - probability)
    tail, low, high = 1 - probability, 0.0, max(1.0, NormalDist().inv_cdf(probability))
    while student_cdf(degrees, -high) > tail:
        low, high = high, 2 * high
    value = (low + high) / 2
    for _ in range(200):
        difference = student_cdf(degrees, -value) - tail
        low, high = (value, high) if difference > 0 else (low, value)
        by_newton = value + difference / _density(degrees, value)
        following = by_newton if low < by_newton < high else (low + high) / 2
        if abs(following - value) <= EXACT * max(1.0, value):
            break
        value = following
    return value


def _density(degrees: float, value: float) -> float:
    logarithm = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    return math.exp(logarithm - (degrees + 1) / 2 * math.log1p(value * value / degrees))


def _beta_share(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function at `x`; `rest` is 1 - x."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(a, b, x) / a
    return 1 - front * _continued_fraction(b, a, rest) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's algorithm."""
    numerator, denominator = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = denominator
    for m in range(1, 1000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            denominator = 1 / _not_zero(1 + term * denominator)
            numerator = _not_zero(1 + term / numerator)
            found *= numerator * denominator
        if abs(numerator * denominator - 1) < EXACT:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST


def digamma(x: float) -> float:
    """Return the first derivative of the logarithm of the gamma function, for a positive x."""
    below = 0.0
    while x < LARGE:
        below, x = below - 1 / x, x + 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return below + math.log(x) - 1 / (2 * x) - series


def trigamma(x: float) -> float:
    """Return the second derivative, for a positive x."""
    below = 0.0
    while x < LARGE:
        below, x = below + 1 / (x * x), x + 1
    square = 1 / (x * x)
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66)))
    return below + 1 / x + square / 2 + series * square / x


def tetragamma(x: float) -> float:
    """Return the third derivative, for a positive x."""
    below = 0.0
    while x < LARGE:
        below, x = below - 2 / x**3, x + 1
    square = 1 / (x * x)
    series = 1 / 2 - square * (1 / 6 - square * (1 / 6 - square * (3 / 10 - square * 5 / 6)))
    return below - square - square / x - series * square * square
