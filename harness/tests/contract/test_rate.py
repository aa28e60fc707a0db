"""Rates as they are written."""

import pytest

from respmark.contract.rate import Goal, RateSchedule, Step, goal_of, parsed
from respmark.specs.suite import ShapeAxes


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("20000", RateSchedule((Step(20000, 20000, None),))),
        ("poisson 0.5", RateSchedule((Step(0.5, 0.5, None),), is_poisson=True)),
        ("500:0.2, 900:0.1", RateSchedule((Step(500, 500, 0.2), Step(900, 900, 0.1)))),
        ("500-900:0.5", RateSchedule((Step(500, 900, 0.5),))),
    ],
)
def test_a_rate_is_a_schedule(text: str, schedule: RateSchedule) -> None:
    """Constant, at random, in steps, as a ramp."""
    assert parsed(text) == schedule
    assert goal_of(text) is None


def test_a_rate_may_be_looked_for() -> None:
    """By a percentile of the time from due to done."""
    assert goal_of("find p99.9=500us") == Goal(99.9, 500_000.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fast", "`fast` is not a rate; write 20000"),
        ("5,6:0.1", "each step of the rate `5,6:0.1` needs a duration in seconds"),
        ("0-5:1", "must begin above 0"),
        ("5-6", "a ramp needs a duration in seconds: 5-6:0.5"),
        ("5:0", "lasts 0 s: 5:0"),
        ("find p99<1ms", "`p99<1ms` is not a goal; write p99=1ms"),
    ],
)
def test_what_is_no_rate_is_refused(text: str, said: str) -> None:
    """Before anything starts, with an example."""
    with pytest.raises(ValueError, match=said):
        ShapeAxes(rate=(text,))
