"""How numbers are written."""

from hypothesis import example, given
from hypothesis import strategies as st

from respmark.numbers import significant


@given(st.floats(1e-6, 1e12))
@example(9.996)
@example(0.9996)
@example(99.96)
@example(0.0099999)
def test_three_digits_are_written(value: float) -> None:
    """As near to the value as they can be; from a thousand on, no whole unit is lost; a sign changes nothing else."""
    written = significant(value)
    assert "e" not in written
    assert abs(float(written.replace(",", "")) - value) <= max(
        0.0051 * value if value < 999.5 else 0, 0.5 * (value >= 999.5)
    )
    assert value >= 999.5 or len(written.replace(".", "").lstrip("0")) == 3
    assert significant(-value) == f"-{written}"
