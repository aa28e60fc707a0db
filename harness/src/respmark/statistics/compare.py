"""Compares the cells of a block with one of them: ratios from laps within rounds, with intervals over rounds.

In a lap, everyone has one slice within a second or two, so what disturbs the machine for longer disturbs all. The
logarithm of the ratio of two slices of a lap is the observation; its median over the laps of a round is the round's
value (single slices have heavy tails, their median has not), and rounds, each with fresh processes, are the unit of
analysis (Kalibera and Jones, "Quantifying performance changes with effect size confidence intervals", 2012; the pairing
is that of Bulej et al., "Duet benchmarking", 2020).

A few rounds tell little of their own variance. So it is measured in units of what the laps alone explain, and moderated
by what all comparisons of the run have in common (`Prior`; Smyth, "Linear models and empirical Bayes methods for
assessing differential expression", 2004). docs/statistics.md shows how often that claims falsely, and what it sees.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
from scipy.special import digamma, polygamma, stdtr, stdtrit

CONFIDENCE: Final = 0.95
LEAST_ROUNDS: Final = 2
"""One round shows nothing of how processes differ."""
LEAST_COMPARISONS: Final = 8
"""Fewer do not tell what they have in common."""
MEDIAN_VARIANCE: Final = math.pi / 2
"""Variance of a median against that of a mean, of many normal values."""
MAD_TO_SD: Final = 1.4826
"""Standard deviation of normal values against their median absolute deviation."""
MOST_DEGREES: Final = 10.0
"""What variances have in common is itself fitted from a few dozen of them, and often they happen to look all alike.
Were that believed, equals in three rounds would be told apart in 6 to 7 % of families, not 5 % (tests/statistics)."""
STEADIEST: Final = 1e-4
"""Standard deviation of a round, in log units, below which no measurement of ours is believed."""


@dataclass(frozen=True)
class Ratio:
    """A client's figure divided by the baseline's."""

    value: float
    low: float | None
    """Ends of the 95 % interval; None: too few rounds for one."""
    high: float | None
    p_value: float | None
    shown: bool = False
    """Whether a difference is shown, corrected for the other comparisons of its family."""


@dataclass(frozen=True)
class Prior:
    """What the rounds' variances of a run have in common, in units of what laps alone explain."""

    variance: float
    degrees: float
    """How many degrees of freedom that is worth."""


USUAL: Final = Prior(1.6, 5.0)
"""Where a run has too few comparisons of its own. Chosen, not measured: harness/bench/estimators.py can fit it."""


@dataclass(frozen=True)
class Rounds:
    """One comparison's rounds: the logarithms of lap ratios, by round."""

    laps: tuple[tuple[float, ...], ...]

    @property
    def values(self) -> list[float]:
        """Return each round's value."""
        return [median(laps) for laps in self.laps]

    @property
    def mean(self) -> float:
        """Return the mean over rounds."""
        return float(np.mean(self.values))

    @property
    def degrees(self) -> int:
        """Return the degrees of freedom of the variance between rounds."""
        return len(self.laps) - 1

    @property
    def lap_variance(self) -> float:
        """Return the variance of a round's median that the spread of its laps explains."""
        deviations = [abs(lap - middle) for laps, middle in zip(self.laps, self.values, strict=True) for lap in laps]
        laps = len(deviations) / len(self.laps)
        return max(STEADIEST**2, MEDIAN_VARIANCE * (MAD_TO_SD * median(deviations)) ** 2 / laps)

    @property
    def relative_variance(self) -> float:
        """Return the variance between rounds divided by what laps explain."""
        return float(np.var(self.values, ddof=1)) / self.lap_variance


def confidence_of(looks: int) -> float:
    """Return the confidence of each of several looks, so that all of them together keep the stated one (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / looks


def log_ratios(client: dict[tuple[int, int], float], baseline: dict[tuple[int, int], float]) -> Rounds | None:
    """Return the comparison of two series of figures by (round, lap), of laps that both have; None if there is none."""
    by_round: defaultdict[int, list[float]] = defaultdict(list)
    for place in sorted(client.keys() & baseline.keys()):
        if client[place] > 0 and baseline[place] > 0:
            by_round[place[0]].append(math.log(client[place] / baseline[place]))
    return Rounds(tuple(tuple(laps) for laps in by_round.values())) if by_round else None


def prior_of(comparisons: Iterable[Rounds]) -> Prior:
    """Fit what variances have in common: a scaled F distribution, by its moments on the log scale (Smyth 2004, 6.2)."""
    usable = [one for one in comparisons if one.degrees >= 1 and one.relative_variance > 0]
    if len(usable) < LEAST_COMPARISONS:
        return USUAL
    half = np.array([one.degrees / 2 for one in usable])
    logs = np.log([one.relative_variance for one in usable]) - digamma(half) + np.log(half)
    excess = float(np.var(logs, ddof=1) - np.mean(polygamma(1, half)))
    if excess <= 0:
        return Prior(math.exp(float(np.mean(logs))), MOST_DEGREES)
    degrees = min(MOST_DEGREES, 2 * inverse_trigamma(excess))
    return Prior(math.exp(float(np.mean(logs) + digamma(degrees / 2) - math.log(degrees / 2))), degrees)


def inverse_trigamma(value: float) -> float:
    """Return the positive x with trigamma(x) = `value`, by Newton's method on 1/trigamma (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if abs(step / x) < 1e-9:  # noqa: PLR2004 - as good as exact
            break
    return x


def ratio_of(rounds: Rounds, prior: Prior, confidence: float = CONFIDENCE) -> Ratio:
    """Return a comparison's ratio with its interval; with one round, without."""
    if len(rounds.laps) < LEAST_ROUNDS:
        return Ratio(math.exp(rounds.mean), None, None, None)
    degrees = prior.degrees + rounds.degrees
    relative = (prior.degrees * prior.variance + rounds.degrees * rounds.relative_variance) / degrees
    error = math.sqrt(relative * rounds.lap_variance / len(rounds.laps))
    reach = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    p_value = 2 * float(stdtr(degrees, -abs(rounds.mean) / error))
    return Ratio(math.exp(rounds.mean), math.exp(rounds.mean - reach), math.exp(rounds.mean + reach), p_value)


def with_claims(family: Sequence[Ratio], confidence: float = CONFIDENCE) -> list[Ratio]:
    """Return the ratios of a family with what they show, by Holm's step-down procedure (Holm 1979)."""
    known = sorted((one.p_value, number) for number, one in enumerate(family) if one.p_value is not None)
    shown: set[int] = set()
    for place, (p_value, number) in enumerate(known):
        if p_value > (1 - confidence) / (len(known) - place):
            break
        shown.add(number)
    return [Ratio(one.value, one.low, one.high, one.p_value, number in shown) for number, one in enumerate(family)]
