"""How precisely a run knows its ratios."""

import pytest

from respmark.statistics.blocks import Comparison, ShownRatio
from respmark.statistics.precision import precision_of


def ratio(half_width_percent: float | None) -> ShownRatio:
    """Return a ratio of 2 whose interval is so wide."""
    if half_width_percent is None:
        return ShownRatio(value=2.0, low=None, high=None, shown=False)
    reach = 2.0 * half_width_percent / 100
    return ShownRatio(value=2.0, low=2.0 - reach, high=2.0 + reach, shown=True)


def comparison(rps: float | None) -> Comparison:
    """Return a comparison whose RPS is known so well."""
    known = ratio(1.0)
    return Comparison(
        baseline="a--sync",
        baseline_client="a",
        baseline_workload="tiny",
        rps=ratio(rps),
        client_cpu=known,
        server_cpu=known,
    )


def test_widths_are_counted_by_metric() -> None:
    """Ten intervals of 0 to 9 %: nine of them are at most 8 % wide, five at most 5 %."""
    found = precision_of(comparison(width + 1e-9) for width in map(float, range(10)))["rps"]
    assert found.intervals == 10
    assert found.half_width_percent_median == pytest.approx(4.5)
    assert found.half_width_percent_90 == pytest.approx(8)
    assert found.within_percent == {2: 2, 5: 5, 10: 10}


def test_a_ratio_without_an_interval_is_not_counted() -> None:
    """One round has none."""
    found = precision_of([comparison(None), comparison(3.0)])
    assert (found["rps"].intervals, found["client_cpu"].intervals) == (1, 2)


def test_without_intervals_there_are_no_widths() -> None:
    """Null, not zero."""
    found = precision_of([])["rps"]
    assert (found.intervals, found.half_width_percent_median, found.half_width_percent_90) == (0, None, None)
