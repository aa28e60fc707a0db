"""The search for the releases in which a figure changed: which versions are measured next, and what follows.

Of many versions, some take turns in a series before anything is asked, and only its neighbours are examined between
which there may be a step: the series chooses where, and what is asked there decides with rounds of its own.

Without a series, first the two ends are compared. If they differ, the version in the middle takes turns with both: the
half that is shown to differ (the one that differs more, if both do) is halved again, until two neighbours are left.
That is a step. What lies before it and after it is searched in the same way, if its own ends still differ (binary
segmentation). A version that cannot be measured is skipped.

The search is pure: an oracle measures. harness/bench/searches.py shows how often it is right.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Final, Protocol

from respmark.bisect.sequential import ERROR, Answer, SequentialTest, VersionDifference
from respmark.contract.base import Message, PositiveCount
from respmark.errors import NothingRanError

REMAINDERS: Final = 2
"""What is left to search beside a step: before it, and after it."""


class Oracle(Protocol):
    """Measures versions."""

    def __call__(self, versions: Sequence[str], test: SequentialTest) -> Mapping[str, str]:
        """Let the versions take turns for as many rounds as the test asks for, which looks at them in between.

        Returns:
            Why versions cannot be measured, by version: the test has then seen no round. Empty if all can.
        """


class Question(Message):
    """Versions that took turns, and what came of it."""

    number: PositiveCount
    versions: tuple[str, ...]
    differences: tuple[VersionDifference, ...]


class VersionStep(Message):
    """Two versions with none between them that could be measured, and a difference."""

    difference: VersionDifference
    between: dict[str, str]
    """Why the versions between them could not be measured; the change may have come with any of them, too."""

    @property
    def older(self) -> str:
        """Return the last version before the change."""
        return self.difference.older

    @property
    def newer(self) -> str:
        """Return the first version with it, as far as versions could be measured."""
        return self.difference.newer


class VersionSeries(Message):
    """What versions showed that took turns before anything was asked."""

    neighbours: tuple[VersionDifference, ...]
    """Each with the one before it that was measured, from the oldest to the newest; with 95 % intervals."""
    ends: VersionDifference
    unmeasurable: dict[str, str]
    """Why versions could not be measured."""


class Why(StrEnum):
    """Why no step is named between two versions."""

    ALIKE = "their difference is smaller than was asked for"
    UNDECIDED = "no difference is shown, and none is ruled out"
    SPREAD = "they differ, but no part of the versions between them differs by as much as was asked for"
    LOST = "they differ, but the rounds do not show where"
    SUGGESTED = "so the series suggests; the rounds after it do not show a difference"


class Rest(Message):
    """Two versions between which no step is named."""

    difference: VersionDifference
    why: Why


class SearchResult(Message):
    """What a search found."""

    versions: tuple[str, ...]
    """All of them, from the oldest to the newest."""
    at_least: float
    steps: tuple[VersionStep, ...]
    """From the oldest to the newest."""
    rests: tuple[Rest, ...]
    questions: tuple[Question, ...]
    unmeasurable: dict[str, str]
    """Why versions were skipped."""
    series: VersionSeries | None = None
    """Null: the search began with its ends."""


def find_steps(
    versions: Sequence[str],
    oracle: Oracle,
    at_least: float,
    tell: Callable[[Question], None] = lambda _question: None,
    series: VersionSeries | None = None,
) -> SearchResult:
    """Return the steps between the first version and the last one.

    Args:
        versions: From the oldest to the newest, at least two.
        oracle: Measures.
        at_least: The smallest difference of interest: 0.05 is 5 %.
        tell: Is called after each question.
        series: What some of the versions, both ends among them, showed in turns.

    Raises:
        NothingRanError: one of the two ends cannot be measured.
    """
    search = _Search(versions, oracle, at_least, tell, series)
    if series is None:
        search.examine(0, len(versions) - 1)
    else:
        search.follow(series)
    return search.found


def may_be_step(found: VersionDifference, at_least: float) -> bool:
    """Return whether a series suggests a step: the interval is without 1, and the ratio as far from 1 as was asked."""
    if found.low is None or found.high is None:
        return False
    return not found.low <= 1 <= found.high and found.size >= math.log1p(at_least)


def questions_of_one_step(versions: int) -> int:
    """Return how many questions a search among so many versions asks to find one step, and no more."""
    halvings = math.ceil(math.log2(max(1, versions - 1)))
    return 1 + halvings + REMAINDERS


def error_of(number: int, versions: int) -> float:
    """Return how much of the search's error question `number`, counted from 0, may spend.

    Those that find a first step share half of it, those of a second one a quarter, and so on: together they never spend
    more than all of it.
    """
    of_a_step = questions_of_one_step(versions)
    return ERROR * 0.5 ** (number // of_a_step + 1) / of_a_step


Part = tuple[int, int, VersionDifference]
"""The places of two versions, and how they differ."""


@dataclass
class _Search:
    versions: Sequence[str]
    oracle: Oracle
    at_least: float
    tell: Callable[[Question], None]
    series: VersionSeries | None = None
    steps: list[tuple[int, VersionStep]] = field(default_factory=list)
    """With the place of the step's older version."""
    rests: list[Rest] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unmeasurable: dict[str, str] = field(default_factory=dict)

    def follow(self, series: VersionSeries) -> None:
        """Find the steps between neighbours of a series; of all its versions, if only its ends differ."""
        self.unmeasurable.update(series.unmeasurable)
        suspects = [one for one in series.neighbours if may_be_step(one, self.at_least)]
        if not suspects and may_be_step(series.ends, self.at_least):
            self.examine(0, len(self.versions) - 1)
        for one in sorted(suspects, key=lambda one: one.size, reverse=True):
            first, last = (self.versions.index(name) for name in (one.older, one.newer))
            if self._middle(first, last) is None:
                self.examine(first, last)
                continue
            waiting = [(first, last, one)]
            while waiting:
                self._narrowed(*waiting.pop(), waiting)

    def examine(self, first: int, last: int) -> None:
        """Find the steps between two versions, if they differ."""
        if first == last:
            return
        asked = self._ask(first, last)
        if asked is None:  # it could be measured before, and cannot now
            names = self.versions[first], self.versions[last]
            unknown = VersionDifference(older=names[0], newer=names[1], answer=Answer.OPEN, rounds=0)
            self.rests.append(Rest(difference=unknown, why=Why.UNDECIDED))
            return
        (difference,) = asked
        if difference.answer is not Answer.DIFFERENT:
            why = Why.ALIKE if difference.answer is Answer.ALIKE else Why.UNDECIDED
            self.rests.append(Rest(difference=difference, why=why))
            return
        older, newer = self._narrowed(first, last, difference)
        self.examine(first, older)
        self.examine(newer, last)

    def _narrowed(
        self, first: int, last: int, difference: VersionDifference, others: list[Part] | None = None
    ) -> tuple[int, int]:
        """Halve versions that differ until a step is left, or a part in which none is shown; return its ends.

        Other halves that are shown to differ are added to `others`.
        """
        while (middle := self._middle(first, last)) is not None:
            halves = self._ask(first, middle, last)
            if halves is None and self.versions[middle] in self.unmeasurable:
                continue
            shown = [one for one in halves or () if one.answer is Answer.DIFFERENT]
            if halves is None or not shown:
                is_spread = halves is not None and all(one.answer is Answer.ALIKE for one in halves)
                why = Why.SPREAD if is_spread else Why.LOST
                is_shown = difference.answer is Answer.DIFFERENT  # a series shows none, it suggests some
                self.rests.append(Rest(difference=difference, why=why if is_shown else Why.SUGGESTED))
                return first, last
            difference, *rest = sorted(shown, key=lambda one: one.size, reverse=True)
            parts = {one.newer: part for one, part in zip(halves, ((first, middle), (middle, last)), strict=True)}
            if others is not None:
                others += [(*parts[one.newer], one) for one in rest]
            first, last = parts[difference.newer]
        between = {name: self.unmeasurable[name] for name in self.versions[first + 1 : last]}
        self.steps.append((first, VersionStep(difference=difference, between=between)))
        return first, last

    def _middle(self, first: int, last: int) -> int | None:
        """Return the place of the version nearest to the middle that is not known to be unmeasurable."""
        inside = [place for place in range(first + 1, last) if self.versions[place] not in self.unmeasurable]
        return min(inside, key=lambda place: abs(2 * place - first - last), default=None)

    def _ask(self, *places: int) -> tuple[VersionDifference, ...] | None:
        """Return the differences of neighbours among these versions; None if one of them cannot be measured."""
        names = tuple(self.versions[place] for place in places)
        error = error_of(len(self.questions), len(self.versions))
        test = SequentialTest(tuple(pairwise(names)), self.at_least, error)
        reasons = self.oracle(names, test)
        self.unmeasurable.update(reasons)
        if reasons:
            ends = [name for name in (names[0], names[-1]) if name in reasons]
            if ends and not self.questions:
                raise NothingRanError(f"{ends[0]} cannot be measured: {reasons[ends[0]]}")
            return None
        if not test.differences:  # there was no time for any round
            test.more(0, {})
        question = Question(number=len(self.questions) + 1, versions=names, differences=test.differences)
        self.questions.append(question)
        self.tell(question)
        return test.differences

    @property
    def found(self) -> SearchResult:
        return SearchResult(
            versions=tuple(self.versions),
            at_least=self.at_least,
            steps=tuple(step for _, step in sorted(self.steps, key=lambda one: one[0])),
            rests=tuple(self.rests),
            questions=tuple(self.questions),
            unmeasurable=self.unmeasurable,
            series=self.series,
        )
