"""How numbers are written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from respmark.numbers import microseconds, milliseconds, percent, rps, significant
from tests.properties import UNTIMED


@UNTIMED
@given(st.floats(1e-6, 999.4999))
@example(9.996)
@example(0.9996)
@example(99.96)
@example(0.0099999)
def test_three_digits_are_written(value: float) -> None:
    """Below a thousand there are exactly three significant digits, as near to the value as they can be."""
    written = significant(value)
    assert "e" not in written
    assert abs(float(written) - value) <= 0.0051 * value
    assert len(written.replace(".", "").lstrip("0")) == 3


@UNTIMED
@given(st.floats(1000, 1e12))
def test_large_numbers_are_whole(value: float) -> None:
    """From a thousand on, no whole unit is lost, and thousands are set apart."""
    written = significant(value)
    assert "." not in written
    assert abs(float(written.replace(",", "")) - value) <= 0.5
    assert all(len(group) == 3 for group in written.split(",")[1:])


@UNTIMED
@given(st.floats(1e-6, 1e9))
def test_a_negative_number_is_its_positive_with_a_sign(value: float) -> None:
    """Signs change nothing else."""
    assert significant(-value) == f"-{significant(value)}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (0.04512, "0.0451"),
        (0.000123, "0.000123"),
        (1.2, "1.20"),
        (27.06, "27.1"),
        (345.4, "345"),
        (999.7, "1,000"),
        (12_345.6, "12,346"),
    ],
)
def test_examples(value: float, written: str) -> None:
    """The forms that stand in tables."""
    assert significant(value) == written


def test_units_and_what_does_not_apply() -> None:
    """A figure has its unit; what does not apply is empty."""
    assert rps(21_345.4) == "21,345"
    assert percent(57.6) == "58 %"
    assert percent(None) == ""
    assert microseconds(27.06) == "27.1 µs"
    assert milliseconds(0.04512) == "0.0451"
    assert milliseconds(None) == ""
