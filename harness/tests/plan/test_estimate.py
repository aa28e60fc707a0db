"""How long a plan takes, by arithmetic."""

import pytest

from respmark.plan.estimate import PROCESS_S, TURN_S, block_estimate_s, estimate_s
from respmark.run.slices import ALONE_SLICE_S
from respmark.run.warmup import LOOKED_AT
from tests.builders.plan import SHIPPED, planned

RUNNERS = SHIPPED.runners


def test_a_block_takes_starts_warm_ups_and_laps() -> None:
    """The estimate is the sum of the parts, for each of its trials, by its runner."""
    plan = planned("quick", laps=4, slice_s=0.5, lead_in_s=0.25, warmup_limit_s=60.0)
    for block in plan.rounds:
        cells = [trial.cell for trial in block.trials]
        runners = [RUNNERS[cell.client.runner] for cell in cells]
        further = sum(cell.shape.processes - 1 for cell in cells) * PROCESS_S
        own = sum(runner.start_s + runner.warm_up_s for runner in runners)
        laps = len(cells) * 4 * (0.75 + TURN_S)
        assert block_estimate_s(plan, block, RUNNERS) == pytest.approx(own + further + laps)


def test_a_warm_up_takes_no_longer_than_its_limit() -> None:
    """Without a warm-up, nothing is estimated for it."""
    plans = [planned(warmup_limit_s=limit_s, slice_s=0.5, lead_in_s=0.25) for limit_s in (0.5, 0.0)]
    with_it, without = (estimate_s(plan, RUNNERS) for plan in plans)
    assert with_it - without == pytest.approx(len(plans[0].trials) * 0.5)


def test_every_language_works_eight_slices_alone_before_it_is_steady() -> None:
    """No warm-up can be shorter, unless it reaches its limit."""
    assert min(runner.warm_up_s for runner in RUNNERS.values()) > LOOKED_AT * ALONE_SLICE_S


def test_quick_is_planned_for_less_than_eight_minutes() -> None:
    """What `make bench` promises holds by the plan's own estimate."""
    assert estimate_s(planned("quick"), RUNNERS) < 8 * 60


def test_smoke_is_planned_for_less_than_half_a_minute() -> None:
    """What `smoke` promises holds by the plan's own estimate."""
    assert estimate_s(planned("smoke"), RUNNERS) < 30
