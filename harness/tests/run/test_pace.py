"""How long blocks take."""

import pytest

from respmark import kinds
from respmark.plan.estimate import estimate_s, writing_s
from respmark.run.pace import ESTIMATED_S, Pace
from tests.builders.plan import planned
from tests.fakes import RUNNERS

PLAN = planned("quick", clients=("redis-py", "phpredis"), scenarios=("sync", "batching"), rounds=1)


def test_a_block_takes_what_its_last_round_took_and_others_as_much_longer_than_estimated() -> None:
    """First as the plan says; the estimate counts as much as a minute of blocks that kept to it."""
    pace, (first, second) = Pace(PLAN.settings, RUNNERS, kinds.block_estimate_s), PLAN.rounds
    estimates = [pace.block_s(block) for block in (first, second)]
    assert sum(estimates) == pytest.approx(estimate_s(PLAN, RUNNERS, kinds.block_estimate_s) - writing_s(PLAN))
    pace.learn(first, 3 * estimates[0])
    assert pace.block_s(first) == 3 * estimates[0]
    slowness = (3 * estimates[0] + ESTIMATED_S) / (estimates[0] + ESTIMATED_S)
    assert pace.block_s(second) == pytest.approx(slowness * estimates[1])
    pace.learn(first, estimates[0])
    assert pace.block_s(first) == estimates[0]
