"""How long a plan takes, by arithmetic."""

from dataclasses import replace

import pytest

from respmark.plan.estimate import OVERHEAD_S, estimate_s
from tests.builders import planned


def test_a_trial_takes_its_warm_up_its_window_and_something_around() -> None:
    """The estimate is the sum of the parts."""
    plan = planned(warmup_s=0.5, measure_s=2.0)
    assert estimate_s(plan) == pytest.approx(len(plan.trials) * (2.5 + OVERHEAD_S))


def test_a_runner_with_a_warm_up_of_its_own_takes_that() -> None:
    """The trials of the others take the suite's."""
    plan = planned(warmup_s=0.5)
    longer = replace(plan, settings=replace(plan.settings, warmup_by_runner_s={"node": 2.5}))
    trials = [trial for trial in plan.trials if trial.cell.client.runner == "node"]
    assert 0 < len(trials) < len(plan.trials)
    assert estimate_s(longer) - estimate_s(plan) == pytest.approx(2 * len(trials))


def test_quick_is_planned_for_less_than_eight_minutes() -> None:
    """What `make bench` promises holds by the plan's own estimate."""
    assert estimate_s(planned("quick")) < 8 * 60


def test_smoke_is_planned_for_less_than_half_a_minute() -> None:
    """What `smoke` promises holds by the plan's own estimate."""
    assert estimate_s(planned("smoke")) < 30
