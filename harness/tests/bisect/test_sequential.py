"""Sequential tests: when they end, and what they answer."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from respmark.bisect.sequential import LOOKS, Answer, Pair, SequentialTest
from respmark.figures.estimate import LogRatios
from tests.bisect.oracles import rounds_of

PAIR = ("1", "2")
OTHER = ("2", "3")


def asked(test: SequentialTest, ratios: Mapping[Pair, float], noise: float = 0.03) -> int:
    """Draw rounds until the test ends, and return how many."""
    dice, measured = np.random.default_rng(1), 0
    found: dict[Pair, LogRatios] = {}
    while more := test.more(measured, found):
        measured += more
        found = {pair: rounds_of(ratio, measured, dice, noise) for pair, ratio in ratios.items()}
    return measured


def single(ratio: float, noise: float = 0.03) -> tuple[int, Answer]:
    test = SequentialTest((PAIR,), 0.05, error=0.01)
    return asked(test, {PAIR: ratio}, noise), test.differences[0].answer


def test_it_begins_with_the_first_look() -> None:
    assert SequentialTest((PAIR,), 0.05, error=0.01).more(0, {}) == LOOKS[0]


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_a_large_difference_takes_few_rounds_in_either_direction(ratio: float) -> None:
    assert single(ratio) == (LOOKS[0], Answer.DIFFERENT)


def test_what_is_alike_takes_more() -> None:
    rounds, answer = single(1.0)
    assert answer is Answer.ALIKE
    assert LOOKS[0] < rounds < LOOKS[-1]


def test_a_difference_that_is_smaller_than_asked_for_is_none() -> None:
    """Even where it is certain that the two are not the same."""
    assert single(1.02, noise=0.002)[1] is Answer.ALIKE


def test_what_is_too_noisy_stays_open_after_the_last_look() -> None:
    assert single(1.0, noise=0.4) == (LOOKS[-1], Answer.OPEN)


def test_of_two_pairs_one_that_differs_is_enough() -> None:
    """The other one is left to a later question."""
    test = SequentialTest((PAIR, OTHER), 0.05, error=0.01)
    assert asked(test, {PAIR: 1.0, OTHER: 0.5}) == LOOKS[0]
    assert [one.answer for one in test.differences] == [Answer.OPEN, Answer.DIFFERENT]


def test_rounds_without_one_of_the_versions_say_nothing() -> None:
    test = SequentialTest((PAIR,), 0.05, error=0.01)
    assert test.more(LOOKS[0], {}) == LOOKS[1] - LOOKS[0]
    assert (test.differences[0].answer, test.differences[0].ratio) == (Answer.OPEN, None)


def test_the_error_is_shared_by_all_intervals_of_all_looks() -> None:
    """Two pairs, each with an interval at every look."""
    test = SequentialTest((PAIR, OTHER), 0.05, error=0.01)
    assert (1 - test.confidence) * 2 * len(LOOKS) == pytest.approx(0.01)


def test_the_interval_that_decided_is_told() -> None:
    test = SequentialTest((PAIR,), 0.05, error=0.01)
    asked(test, {PAIR: 0.5})
    (found,) = test.differences
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high < 1 / 1.05
    assert found.size == pytest.approx(math.log(2), abs=0.1)
