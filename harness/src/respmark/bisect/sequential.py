"""Sequential tests of whether versions differ: a few looks at the rounds so far, each of which spends a share of error.

A test looks after 4, 6, 9, ... rounds. At each look it makes an interval for every ratio that it asks about, wide
enough that the intervals of all looks of all tests of a search hold at once, but for a share of ERROR of searches. So
it may stop whenever the intervals say enough, and no single round decides.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.contract.base import Count, Message
from respmark.figures.estimate import USUAL, Estimate, LogRatios, estimate_of

ERROR: Final = 0.05
"""The share of searches in which any interval that decided something may miss the true ratio."""
LOOKS: Final = (4, 6, 9, 14, 21, 32, 48)
"""After how many rounds a test looks; each has half as many again, because the width shrinks as their square root."""

Pair = tuple[str, str]
"""Two versions, the older one first."""


class Answer(StrEnum):
    """What the rounds say about two versions."""

    DIFFERENT = "different"
    """Their ratio is not 1, and it is about as far from 1 as was asked for, or farther."""
    ALIKE = "alike"
    """Their ratio is nearer to 1 than was asked for."""
    OPEN = "open"
    """Neither is shown."""


class VersionDifference(Message):
    """The newer version's figure divided by the older one's, as the last look of a test saw it."""

    older: str
    newer: str
    answer: Answer
    rounds: Count
    ratio: float | None = None
    """Null if no round has both."""
    low: float | None = None
    """Ends of the interval that decided; null if there are too few rounds for one."""
    high: float | None = None

    @property
    def size(self) -> float:
        """Return how far the ratio is from 1, in log units."""
        return 0.0 if self.ratio is None else abs(math.log(self.ratio))


@dataclass
class SequentialTest:
    """One question: whether the versions of each pair differ."""

    pairs: tuple[Pair, ...]
    at_least: float
    """The smallest difference of interest: 0.05 is 5 %."""
    error: float
    """How much of the search's error its intervals may spend together."""
    differences: tuple[VersionDifference, ...] = ()
    """What the last look found, in the order of the pairs."""

    def more(self, measured: int, rounds: Mapping[Pair, LogRatios]) -> int:
        """Look at what the rounds so far say, and return how many more are needed; 0 ends the test.

        It ends as soon as one pair is shown to differ, or all of them not to, or after the last look.

        Args:
            measured: How many rounds were measured, whatever came of them.
            rounds: The logarithms of the ratios newer/older, by pair; a pair that has none is left out.
        """
        self.differences = tuple(self._difference(pair, rounds.get(pair)) for pair in self.pairs)
        answers = [one.answer for one in self.differences]
        if Answer.DIFFERENT in answers or all(one is Answer.ALIKE for one in answers):
            return 0
        return next((look - measured for look in LOOKS if look > measured), 0)

    @property
    def confidence(self) -> float:
        """Return the confidence of one interval at one look: the error is divided equally among all of them."""
        return 1 - self.error / (len(self.pairs) * len(LOOKS))

    def _difference(self, pair: Pair, rounds: LogRatios | None) -> VersionDifference:
        older, newer = pair
        if rounds is None:
            return VersionDifference(older=older, newer=newer, answer=Answer.OPEN, rounds=0)
        count, ratio = len(rounds), math.exp(rounds.mean)
        estimate = estimate_of(rounds, USUAL)
        if estimate is None:
            return VersionDifference(older=older, newer=newer, answer=Answer.OPEN, rounds=count, ratio=ratio)
        low, high = estimate.interval(self.confidence)
        answer = self._answer(estimate)
        return VersionDifference(older=older, newer=newer, answer=answer, rounds=count, ratio=ratio, low=low, high=high)

    def _answer(self, estimate: Estimate) -> Answer:
        reach, size = estimate.reach(self.confidence), abs(estimate.mean)
        wanted = math.log1p(self.at_least)
        if size + reach < wanted:
            return Answer.ALIKE
        return Answer.DIFFERENT if size > reach and size >= wanted else Answer.OPEN
