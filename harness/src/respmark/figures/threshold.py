"""Whether clients regressed: each change judged by a threshold.

What is judged together is one family (Holm): if nothing has changed, at most 5 % of judgements show any change.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio, confidence_of, rounds_to_show
from respmark.figures.metric import Compared

MOST_ROUNDS: Final = 200
"""Nobody would measure more to have a regression shown."""


class Outcome(StrEnum):
    """What became of a client."""

    REGRESSED = "regressed"
    """It is shown to be worse, by more than the threshold."""
    WITHIN_THRESHOLD = "worse, within the threshold"
    IMPROVED = "improved"
    NOT_SHOWN = "no change shown"
    NOT_COMPARED = "not compared"
    """There is no ratio with an interval."""


@dataclass(frozen=True)
class Threshold:
    """What is judged, and how much of it may be lost."""

    compared: Compared
    loss: float = 0.0
    """A larger loss is a regression; as a fraction of the base's figure, below 1."""

    @property
    def metric(self) -> str:
        """Return the key of what is judged."""
        return self.compared.key

    @property
    def is_cost(self) -> bool:
        """Return whether less is better."""
        return self.compared.is_cost

    @property
    def bound(self) -> float:
        """Return the ratio of head to base beyond which the head has regressed."""
        return 1 + self.loss if self.is_cost else 1 - self.loss

    def outcome(self, ratio: Ratio) -> Outcome:
        """Return what a ratio says."""
        if ratio.low is None:
            return Outcome.NOT_COMPARED
        if not ratio.shown:
            return Outcome.NOT_SHOWN
        if (ratio.value > 1) is not self.is_cost:
            return Outcome.IMPROVED
        is_beyond = ratio.value > self.bound if self.is_cost else ratio.value < self.bound
        return Outcome.REGRESSED if is_beyond else Outcome.WITHIN_THRESHOLD


@dataclass(frozen=True)
class Judged:
    """A change, and what the threshold says of it."""

    change: Change
    outcome: Outcome
    rounds_needed: int | None
    """For `no change shown`: how many rounds show a regression of the threshold in four runs of five, those that were
    measured if they are enough; null if more than anybody would measure."""
    is_too_noisy: bool = False
    """Whether a regression of the threshold would not have been shown."""


def judged(changes: Sequence[Change], threshold: Threshold) -> list[Judged]:
    """Return what became of each."""
    known = sum(threshold.metric in one.estimates for one in changes)
    found = []
    for one in changes:
        outcome = threshold.outcome(one.ratio(threshold.metric))
        is_open = outcome is Outcome.NOT_SHOWN and threshold.loss > 0
        needed = _rounds_needed(one, threshold, known) if is_open else None
        is_too_noisy = is_open and (needed is None or needed > one.new.rounds)
        found.append(Judged(one, outcome, needed, is_too_noisy))
    return found


def _rounds_needed(change: Change, threshold: Threshold, comparisons: int) -> int | None:
    estimate = change.estimates[threshold.metric]
    tail = (1 - confidence_of(change.pair.looks)) / 2 / comparisons
    most = max(MOST_ROUNDS, estimate.rounds)
    return rounds_to_show(estimate, abs(math.log(threshold.bound)), tail, most, estimate.rounds)
