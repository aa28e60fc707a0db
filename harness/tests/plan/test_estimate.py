"""How long a plan takes, by arithmetic."""

import pytest

from respmark.plan.estimate import START_S, TURN_S, WARMUP_S, block_estimate_s, estimate_s
from tests.builders import planned


def test_a_block_takes_starts_warm_ups_and_laps() -> None:
    """The estimate is the sum of the parts, for each of its trials."""
    plan = planned(laps=4, slice_s=0.5, lead_in_s=0.25, warmup_limit_s=60.0)
    for block in plan.rounds:
        each = START_S + WARMUP_S + 4 * (0.75 + TURN_S)
        assert block_estimate_s(plan, block) == pytest.approx(len(block.trials) * each)


def test_a_warm_up_takes_no_longer_than_its_limit() -> None:
    """Without a warm-up, nothing is estimated for it."""
    with_it, without = (planned(warmup_limit_s=limit_s) for limit_s in (60.0, 0.0))
    assert estimate_s(with_it) - estimate_s(without) == pytest.approx(len(with_it.trials) * WARMUP_S)


def test_quick_is_planned_for_less_than_eight_minutes() -> None:
    """What `make bench` promises holds by the plan's own estimate."""
    assert estimate_s(planned("quick")) < 8 * 60


def test_smoke_is_planned_for_less_than_half_a_minute() -> None:
    """What `smoke` promises holds by the plan's own estimate."""
    assert estimate_s(planned("smoke")) < 30
