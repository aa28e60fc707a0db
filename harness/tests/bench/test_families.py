"""Verdicts on claims are wrong no more often than docs/statistics.md says."""

import pytest

from bench.families import SITUATIONS, Truth, simulate, verdict_of
from respmark.figures.families import FALSE_DISCOVERY_RATE

TABLES = 200


@pytest.mark.parametrize("situation", [name for name in SITUATIONS if name.startswith("nothing true")])
def test_if_no_verdict_can_be_right_few_tables_have_one(situation: str) -> None:
    """At most one table in twenty, whether all ratios of a claim are at their bounds or one of them."""
    score = simulate(SITUATIONS[situation], TABLES, seed=1)["in use"]
    assert score.decided == 0
    assert score.false_tables <= FALSE_DISCOVERY_RATE


@pytest.mark.parametrize("situation", [name for name in SITUATIONS if name.startswith("half")])
def test_if_half_of_the_claims_hold_few_verdicts_are_wrong(situation: str) -> None:
    """At most one in twenty on average, and more claims are decided than by one Holm family."""
    scores = simulate(SITUATIONS[situation], TABLES, seed=1)
    assert scores["in use"].false_share <= FALSE_DISCOVERY_RATE
    assert scores["in use"].decided > 1.5 * scores["one Holm family"].decided


def test_a_claim_holds_if_all_ratios_are_inside_and_does_not_if_one_is_outside() -> None:
    """Whatever is said of the others."""
    assert verdict_of([True, True]) is Truth.HOLDS
    assert verdict_of([True, None]) is None
    assert verdict_of([True, None, False]) is Truth.DOES_NOT_HOLD
