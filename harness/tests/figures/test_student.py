"""Student's t and the gamma function's derivatives, held against SciPy."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from respmark.figures.student import digamma, student_cdf, student_quantile, tetragamma, trigamma

DEGREES = st.floats(1, 400)


@given(DEGREES, st.floats(-60, 60))
@example(1.0, 6.629511150541112e-09)
def test_probabilities_are_scipys(degrees: float, value: float) -> None:
    """Tails, too, which p-values are. SciPy's own `stdtr` is not exact near 0; its incomplete beta function is."""
    square = value * value
    between = float(special.betainc(0.5, degrees / 2, square / (degrees + square)))
    beyond = float(special.betainc(degrees / 2, 0.5, degrees / (degrees + square))) / 2
    below = 0.5 + math.copysign(between, value) / 2 if square < degrees else beyond if value < 0 else 1 - beyond
    assert student_cdf(degrees, value) == pytest.approx(below, rel=1e-10)


@given(DEGREES, st.floats(1e-6, 1 - 1e-6))
def test_quantiles_are_scipys(degrees: float, probability: float) -> None:
    found = student_quantile(degrees, probability)
    assert found == pytest.approx(float(special.stdtrit(degrees, probability)), rel=1e-8, abs=1e-8)


@given(st.floats(0.01, 1000))
def test_derivatives_are_scipys(x: float) -> None:
    assert digamma(x) == pytest.approx(float(special.digamma(x)), rel=1e-11, abs=1e-12)
    assert trigamma(x) == pytest.approx(float(special.polygamma(1, x)), rel=1e-11)
    assert tetragamma(x) == pytest.approx(float(special.polygamma(2, x)), rel=1e-11)
