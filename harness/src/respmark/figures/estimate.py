"""Compares the clients of a block: ratios over the laps of each round, with intervals over rounds.

In a lap, every client has one slice within a second or two, so a disturbance that lasts longer affects all of them. A
round's value is the logarithm of the ratio of two clients' figures. Each figure is a total over the laps that both
have: all commands divided by all time, or all CPU divided by all commands. Nothing is left out of it, not even a
garbage collection in one slice of twenty. How precise the value is follows from the laps, taken as pairs (Bulej et al.,
"Duet benchmarking", 2020). Rounds, each with fresh processes, are the unit of analysis (Kalibera and Jones,
"Quantifying performance changes with effect size confidence intervals", 2012).

A few rounds say little about their own variance. It is therefore measured in units of the variance that the laps alone
explain, and moderated by what all comparisons of the run have in common (`Prior`; Smyth, "Linear models and empirical
Bayes methods for assessing differential expression", 2004). docs/statistics.md shows how often this makes false claims,
and what it detects.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from respmark.contract.base import Message
from respmark.figures.families import Key, holm
from respmark.figures.student import digamma, student_cdf, student_quantile, tetragamma, trigamma

CONFIDENCE: Final = 0.95
LEAST_ROUNDS: Final = 2
"""One round shows nothing about how processes differ."""
LEAST_COMPARISONS: Final = 8
"""Fewer do not show what their variances have in common."""
MOST_DEGREES: Final = 20.0
"""The most that a fitted prior counts for: it is fitted to a few dozen variances, which often look alike by chance.
With 20 degrees, recorded clients are falsely claimed to differ from themselves in 2 to 4 % of families
(docs/statistics.md); without a limit, in more than the 5 % that are allowed."""
POWER: Final = 0.8
"""How often a number of rounds that is named shows what it should."""
STEADIEST: Final = 1e-4
"""Smallest standard deviation of a round's value that is believed, in log units."""


class Ratio(Message):
    """A client's figure divided by the baseline's, with its 95 % interval."""

    value: float
    low: float | None = None
    """Null if there are too few rounds for an interval."""
    high: float | None = None
    shown: bool = False
    """Whether a difference is shown, corrected for the other comparisons of its family (Holm)."""
    p_value: Annotated[float | None, Field(exclude=True)] = None
    """Before that correction."""

    @property
    def is_known(self) -> bool:
        """Return whether there is a ratio at all."""
        return not math.isnan(self.value)

    @property
    def half_width(self) -> float | None:
        """Return half the interval's width, as a fraction of the ratio; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2 / self.value

    @property
    def inverse(self) -> "Ratio":
        """Return the ratio of the baseline to the client."""
        low, high = (None if end is None else 1 / end for end in (self.high, self.low))
        return Ratio(value=1 / self.value, low=low, high=high, shown=self.shown, p_value=self.p_value)


UNKNOWN: Final = Ratio(value=math.nan)


@dataclass(frozen=True)
class Prior:
    """What the variances between a run's rounds have in common, in units of the variance that laps alone explain."""

    variance: float
    degrees: float
    """How many degrees of freedom the prior is worth."""


USUAL: Final = Prior(1.8, 6.0)
"""Used if a run has too few comparisons to fit its own prior. Its variance is somewhat larger than that of recorded
clients in client CPU, in which they differ most (harness/bench/data/aa.csv.gz, fitted by harness/bench/estimators.py:
1.5, with 6 degrees)."""


LAP_BITS: Final = 32
Part = tuple[float, float]
"""What a slice contributes to a figure: a numerator and a denominator, such as commands and seconds."""
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LapSeries:
    """A client's slices, ordered by round and lap, with what each contributes to a figure.

    What a round says about a client does not depend on the client that it is compared with, as long as both have the
    same laps: it is computed once, for all comparisons.
    """

    places: Integers
    """Round and lap of each slice: shape (slices, 2)."""
    parts: Floats
    """Numerator and denominator of each slice: shape (slices, 2)."""

    @classmethod
    def of(cls, parts: Mapping[tuple[int, int], Part]) -> "LapSeries":
        """Return the series of parts that are given by (round, lap)."""
        ordered = sorted(parts)
        values = np.array([parts[place] for place in ordered], dtype=np.float64)
        return cls(np.array(ordered, dtype=np.int64).reshape(-1, 2), values.reshape(-1, 2))

    def common(self, other: "LapSeries") -> "LapSeries":
        """Return the slices of the laps that the other series has, too."""
        if np.array_equal(self.places, other.places):
            return self
        mine, theirs = (places[:, 0] << LAP_BITS | places[:, 1] for places in (self.places, other.places))
        kept = np.isin(mine, theirs)
        return LapSeries(self.places[kept], self.parts[kept])

    @cached_property
    def laps(self) -> Integers:
        """Return how many laps each round has."""
        return np.unique(self.places[:, 0], return_counts=True)[1]

    @cached_property
    def sums(self) -> Floats:
        """Return the sums of each round's parts: shape (rounds, 2)."""
        return np.add.reduceat(self.parts, np.cumsum(self.laps) - self.laps)

    @cached_property
    def is_something(self) -> npt.NDArray[np.bool_]:
        """Return which rounds have a numerator and a denominator above 0."""
        return (self.sums[:, 0] > 0) & (self.sums[:, 1] > 0)

    @cached_property
    def quotients(self) -> Floats:
        """Return the figure of each round; it is meaningless where `is_something` is false."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.sums[:, 0] / self.sums[:, 1]

    @cached_property
    def influence(self) -> Floats:
        """Return the influence of each lap on the round's value: its derivative by weight (delta method)."""
        quotients, means = (np.repeat(values, self.laps) for values in (self.quotients, self.sums[:, 0] / self.laps))
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.parts[:, 0] - quotients * self.parts[:, 1]) / means


@dataclass(frozen=True, eq=False)
class LogRatios:
    """What rounds say about two clients."""

    values: Floats
    """Logarithm of the ratio, by round."""
    laps: Integers
    """Number of laps, by round."""
    spread: Floats
    """Influence of each lap on its round's log ratio (delta method); by lap, one round after the other."""

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def mean(self) -> float:
        """Return the mean over rounds."""
        return float(np.mean(self.values))

    @property
    def degrees(self) -> int:
        """Return the degrees of freedom of the variance between rounds."""
        return len(self) - 1

    @property
    def has_laps(self) -> bool:
        """Return whether laps explain anything: not of a figure that a round has once, such as memory."""
        return self.lap_variance > STEADIEST**2

    @cached_property
    def lap_variance(self) -> float:
        """Return the variance of a round's value that the spread of its laps explains."""
        laps = len(self.spread)
        of_one_lap = float(np.dot(self.spread, self.spread)) / max(1, laps - len(self))
        return max(STEADIEST**2, of_one_lap * len(self) / laps)

    @cached_property
    def relative_variance(self) -> float:
        """Return the variance between rounds divided by the variance that laps explain."""
        return float(np.var(self.values, ddof=1)) / self.lap_variance


def confidence_of(looks: int) -> float:
    """Return the confidence that each of several looks needs for all of them to keep the stated one (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / looks


def log_ratios(client: LapSeries, baseline: LapSeries) -> LogRatios | None:
    """Return the comparison of two clients over the laps that both have; None if nothing can be compared."""
    one, other = client.common(baseline), baseline.common(client)
    counts = one.is_something & other.is_something
    if not counts.any():
        return None
    spread = one.influence - other.influence
    values = np.log(one.quotients[counts] / other.quotients[counts])
    return LogRatios(values, one.laps[counts], spread[np.repeat(counts, one.laps)])


def prior_of(comparisons: Iterable[LogRatios]) -> Prior:
    """Fit the prior to the variances: a scaled F distribution, by its moments on the log scale (Smyth 2004, 6.2)."""
    usable = [one for one in comparisons if one.degrees >= 1 and one.has_laps and one.relative_variance > 0]
    if len(usable) < LEAST_COMPARISONS:
        return USUAL
    half = np.array([one.degrees / 2 for one in usable])
    expected = np.log(half) - np.array(list(map(digamma, half)))
    logs = np.log([one.relative_variance for one in usable]) + expected
    excess = float(np.var(logs, ddof=1) - np.mean(list(map(trigamma, half))))
    if excess <= 0:
        return Prior(math.exp(float(np.mean(logs))), MOST_DEGREES)
    degrees = min(MOST_DEGREES, 2 * inverse_trigamma(excess))
    return Prior(math.exp(float(np.mean(logs)) + digamma(degrees / 2) - math.log(degrees / 2)), degrees)


def inverse_trigamma(value: float) -> float:
    """Return the positive x with trigamma(x) = `value`, by Newton's method on 1/trigamma (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        here = trigamma(x)
        step = here * (1 - here / value) / tetragamma(x)
        x += step
        if abs(step / x) < 1e-9:  # noqa: PLR2004 - as good as exact
            break
    return x


@dataclass(frozen=True)
class Estimate:
    """The mean of the rounds' values, with its error."""

    mean: float
    """Logarithm of the ratio."""
    error: float
    """Standard error of the mean."""
    degrees: float
    """Degrees of freedom of Student's distribution: the rounds' own and what the prior is worth."""
    rounds: int

    def reach(self, confidence: float) -> float:
        """Return half the interval's width, in log units."""
        return student_quantile(self.degrees, (1 + confidence) / 2) * self.error

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the ends of the ratio's interval."""
        reach = self.reach(confidence)
        return math.exp(self.mean - reach), math.exp(self.mean + reach)

    def ratio(self, confidence: float) -> Ratio:
        """Return the ratio with its interval, and the p-value of the hypothesis that it is 1."""
        low, high = self.interval(confidence)
        p_value = 2 * student_cdf(self.degrees, -abs(self.mean) / self.error)
        return Ratio(value=math.exp(self.mean), low=low, high=high, p_value=p_value)

    def p_not_above(self, value: float) -> float:
        """Return the one-sided p-value of the hypothesis that the ratio's logarithm is not above `value`."""
        return student_cdf(self.degrees, (value - self.mean) / self.error)


def estimate_of(rounds: LogRatios, prior: Prior) -> Estimate | None:
    """Return a comparison's estimate; None if there are too few rounds to know its error.

    Where laps explain nothing, the prior, whose unit is what they explain, says nothing: that is a plain Student's t.
    """
    if len(rounds) < LEAST_ROUNDS:
        return None
    degrees, relative = float(rounds.degrees), max(1.0, rounds.relative_variance)
    if rounds.has_laps:
        degrees = prior.degrees + rounds.degrees
        relative = (prior.degrees * prior.variance + rounds.degrees * rounds.relative_variance) / degrees
    error = math.sqrt(relative * rounds.lap_variance / len(rounds))
    return Estimate(rounds.mean, error, degrees, len(rounds))


def rounds_to_show(estimate: Estimate, distance: float, tail: float, most: int, least: int | None = None) -> int | None:
    """Return how many rounds a new run needs to show that a ratio differs from a bound; None if more than `most`.

    They do so in four runs of five, if the ratio and its spread are what was measured. `distance` is that of the
    logarithms, `tail` the level of the one-sided test; `least` is the first number that is tried, by default one more
    than were measured.
    """
    deviation = estimate.error * math.sqrt(estimate.rounds)
    for rounds in range(least or estimate.rounds + 1, most + 1):
        degrees = estimate.degrees + rounds - estimate.rounds
        reach = student_quantile(degrees, 1 - tail) + student_quantile(degrees, POWER)
        if distance >= reach * deviation / math.sqrt(rounds):
            return rounds
    return None


def ratio_of(rounds: LogRatios, prior: Prior, confidence: float = CONFIDENCE) -> Ratio:
    """Return a comparison's ratio with its interval; with one round, there is none."""
    estimate = estimate_of(rounds, prior)
    return Ratio(value=math.exp(rounds.mean)) if estimate is None else estimate.ratio(confidence)


def change_of(before: Estimate, after: Estimate) -> Estimate:
    """Return the estimate of the factor by which a ratio differs between two runs, or between two blocks of one.

    They are independent of each other: variances add up, with Welch's degrees of freedom.
    """
    variance = before.error**2 + after.error**2
    degrees = variance**2 / (before.error**4 / before.degrees + after.error**4 / after.degrees)
    rounds = min(before.rounds, after.rounds)
    return Estimate(after.mean - before.mean, math.sqrt(variance), degrees, rounds)


def corrected(
    ratios: Mapping[Key, Ratio],
    family: Callable[[Key], Hashable] = lambda _: None,
    looks: Callable[[Key], int] = lambda _: 1,
) -> dict[Key, Ratio]:
    """Return the ratios, each with whether it shows a difference among those of its family, by default all.

    `looks` is how often there could have been an interval for it (Bonferroni).
    """
    families: defaultdict[Hashable, dict[Key, float]] = defaultdict(dict)
    for key, ratio in ratios.items():
        if ratio.p_value is not None:
            families[family(key)][key] = ratio.p_value * looks(key)
    allowed = 1 - CONFIDENCE
    shown = {key for one in families.values() for key, p_value in holm(one).items() if p_value <= allowed}
    return {key: ratio.model_copy(update={"shown": key in shown}) for key, ratio in ratios.items()}
