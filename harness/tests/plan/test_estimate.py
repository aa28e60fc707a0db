"""How long a plan takes, by arithmetic."""

import pytest

from respmark.plan.estimate import OVERHEAD_S, estimate_s, trial_estimate_s
from tests.builders import planned


def test_a_trial_takes_its_warm_up_its_window_and_something_around() -> None:
    """The estimate is the sum of the parts."""
    plan = planned(warmup_s=0.5, measure_s=2.0)
    assert trial_estimate_s(plan) == pytest.approx(2.5 + OVERHEAD_S)
    assert estimate_s(plan) == pytest.approx(len(plan.trials) * trial_estimate_s(plan))


def test_quick_is_planned_for_less_than_eight_minutes() -> None:
    """What `make bench` promises holds by the plan's own estimate."""
    assert estimate_s(planned("quick")) < 8 * 60


def test_smoke_is_planned_for_less_than_half_a_minute() -> None:
    """What `smoke` promises holds by the plan's own estimate."""
    assert estimate_s(planned("smoke")) < 30
