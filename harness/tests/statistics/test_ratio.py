"""Intervals over rounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.statistics.ratio import Interval, median_interval
from tests.properties import UNTIMED

EXPERIMENTS = 120


@UNTIMED
@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=12))
def test_an_interval_covers_its_median(values: list[float]) -> None:
    """Whatever the values are, low, median and high are in order, and the median is the values' own."""
    interval = median_interval(values)
    assert interval.median == pytest.approx(float(np.median(values)))
    assert interval.low <= interval.median <= interval.high
    assert not interval.excludes(interval.median)


def test_the_same_values_give_the_same_interval() -> None:
    """A report made again says the same."""
    values = [0.9, 1.0, 1.1, 1.3]
    assert median_interval(values) == median_interval(values)
    assert median_interval(values).confidence == 0.95


def test_more_confidence_is_a_wider_interval() -> None:
    """Who wants to be surer is told less."""
    values = list(np.random.Generator(np.random.PCG64(3)).normal(1, 0.1, 20))
    narrow, wide = median_interval(values, 0.5), median_interval(values, 0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_no_values_have_no_interval() -> None:
    """Nothing is concluded from nothing."""
    with pytest.raises(ValueError, match="at least one value"):
        median_interval([])


@pytest.mark.parametrize(("value", "excluded"), [(0.8, True), (0.9, False), (1.0, False), (1.1, False), (1.2, True)])
def test_an_interval_excludes_what_lies_outside(value: float, *, excluded: bool) -> None:
    """Its ends belong to it."""
    assert Interval(1.0, 0.9, 1.1, 0.95).excludes(value) is excluded


def test_a_clear_difference_is_shown() -> None:
    """Twenty pairs that are all around 0.8 exclude 1."""
    values = np.random.Generator(np.random.PCG64(5)).normal(0.8, 0.02, 20)
    assert median_interval(list(values)).excludes(1)


@pytest.mark.parametrize("pairs", [3, 5, 12])
def test_a_client_against_itself_is_hardly_ever_different(pairs: int) -> None:
    """Of many A/A runs with noise of 10 %, about one in twenty may find a difference; one in eight is too many."""
    rng = np.random.Generator(np.random.PCG64(pairs))
    ratios = np.exp(rng.normal(0, 0.1, (EXPERIMENTS, pairs)) - rng.normal(0, 0.1, (EXPERIMENTS, pairs)))
    found = sum(median_interval(list(experiment)).excludes(1) for experiment in ratios)
    assert found / EXPERIMENTS < 0.125
