"""Means over rounds with their intervals, held against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from respmark.figures.interval import over_rounds

VALUES = st.lists(st.integers(1, 10**7), min_size=2, max_size=12, unique=True)


@given(VALUES)
def test_the_interval_is_students_of_the_logarithms(values: list[int]) -> None:
    found, logarithms = over_rounds(values), np.log(values)
    low, high = stats.t.interval(0.95, len(values) - 1, logarithms.mean(), stats.sem(logarithms))
    assert np.log(found.mean) == pytest.approx(logarithms.mean(), abs=1e-9)
    assert found.low is not None
    assert found.high is not None
    assert (np.log(found.low), np.log(found.high)) == pytest.approx((low, high), rel=1e-6, abs=1e-6)


def test_one_round_has_a_mean_and_no_interval() -> None:
    alone = over_rounds([2.5])
    assert alone.mean == pytest.approx(2.5)
    assert alone[1:] == (None, None)
    with pytest.raises(ValueError, match="no round has a value"):
        over_rounds([])
