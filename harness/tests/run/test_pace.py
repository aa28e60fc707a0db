"""How many laps a round of a block gets."""

from dataclasses import replace

import pytest

from respmark.plan.needs import lap_estimate_s, preparation_estimate_s
from respmark.plan.trial import BlockRound, Plan
from respmark.run.pace import Pace, Spent
from tests.builders.plan import SHIPPED, planned

WHOLE = planned("quick")
PLAN = replace(WHOLE, settings=replace(WHOLE.settings, laps=10, rounds=1), rounds=WHOLE.rounds[:2])
FIRST, SECOND = PLAN.rounds


def pace_of(left_s: float, plan: Plan = PLAN) -> Pace:
    return Pace(plan, SHIPPED.runners, end_s=left_s, clock=lambda: 0.0)


def prepared_s(block: BlockRound) -> float:
    return preparation_estimate_s(PLAN.settings, block, SHIPPED.runners)


def lap_s(block: BlockRound) -> float:
    return lap_estimate_s(PLAN.settings, block)


@pytest.mark.parametrize(
    ("laps_of_preparation", "laps"),
    [
        (0.2, 6),  # 0.6 times what the suite says, at least
        (5.1, 10),  # the square root of 20 times as many
        (9.81, 14),
        (1000, 20),  # twice of what it says, at most
    ],
)
def test_costly_preparation_is_followed_by_more_laps(laps_of_preparation: float, laps: int) -> None:
    """By Kalibera and Jones, with 20 times as much variance between laps as between processes."""
    assert pace_of(1e6).laps(FIRST, laps_of_preparation * lap_s(FIRST)) == laps


def test_blocks_share_the_time_that_is_left() -> None:
    """What the others need to get ready is set aside; all have as many laps as then fit."""
    pace = pace_of(prepared_s(SECOND) + 8.5 * (lap_s(FIRST) + lap_s(SECOND)))
    pace.begins(FIRST)
    assert pace.laps(FIRST, 1e6) == 8


def test_what_a_block_took_is_what_it_takes_again() -> None:
    """Its laps cost ten times their estimate, as those of long units do; its next round has fewer of them."""
    again = replace(FIRST, round=2)
    pace = pace_of(20.5 * 10 * lap_s(FIRST), replace(PLAN, rounds=(FIRST, again)))
    pace.begins(FIRST)
    pace.ended(FIRST, Spent(prepared_s=1.0, laps=10, laps_s=10 * 10 * lap_s(FIRST)))
    pace.begins(again)
    assert pace.laps(again, 1e6) == 20
    pace.end_s /= 2
    assert pace.laps(again, 1e6) == 10
