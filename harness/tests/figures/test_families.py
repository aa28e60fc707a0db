"""Families of tests: what is corrected for what."""

import pytest

from respmark.figures.families import ClaimTest, ComparisonTest, false_discovery_level, holm, level_of

INSIDE, OUTSIDE, OPEN = ComparisonTest(0.01, 0.99), ComparisonTest(0.99, 0.01), ComparisonTest(0.3, 0.7)


def test_holm_multiplies_by_how_many_are_left() -> None:
    """The smallest p-value by all of them, the next by one fewer; none becomes smaller than the one before it."""
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@pytest.mark.parametrize(
    ("p_values", "level"),
    [
        ([0.01, 0.02, 0.03, 0.9], 0.0375),  # three of four: 0.05 * 3 / 4
        ([0.04, 0.04], 0.05),  # neither is below 0.05 / 2, but both are below 0.05
        ([0.03, 0.9], 0.025),  # none: the level for one
        ([], 0.05),
    ],
)
def test_the_false_discovery_level_follows_from_how_many_are_rejected(p_values: list[float], level: float) -> None:
    """The largest number k of p-values of which all are below 0.05 k / n decides."""
    assert false_discovery_level(p_values) == pytest.approx(level)


def test_a_claim_holds_as_surely_as_its_weakest_comparison() -> None:
    """Each comparison is tested at the full level; two opposing verdicts are tested, which doubles the p-value."""
    claim = ClaimTest([ComparisonTest(0.001, 0.999), ComparisonTest(0.02, 0.98)])
    assert claim.p_holds == 0.02
    assert claim.p_value == 0.04
    assert claim.shown(0.05) == [True, True]
    assert claim.shown(0.03) == [True, None]


def test_a_claim_does_not_hold_as_surely_as_its_worst_comparison_corrected_for_the_others() -> None:
    """The smallest p-value times the number of comparisons; the others stay as they are."""
    claim = ClaimTest([OPEN, ComparisonTest(0.995, 0.005), INSIDE])
    assert claim.p_does_not_hold == pytest.approx(0.015)
    assert claim.p_value == pytest.approx(0.03)
    assert claim.shown(0.05) == [None, False, True]


def test_a_claim_with_a_comparison_that_is_not_measured_cannot_hold() -> None:
    """But it can be refuted by the others, which are corrected for each other only."""
    assert ClaimTest([INSIDE, None]).p_holds == 1.0
    assert ClaimTest([INSIDE, None]).shown(0.05) == [True, None]
    assert ClaimTest([OUTSIDE, None]).p_value == pytest.approx(0.02)


def test_claims_without_figures_are_no_part_of_the_table() -> None:
    """However many there are, the others are judged as if they were alone."""
    assert level_of([ClaimTest([INSIDE]), ClaimTest([None]), ClaimTest([])]) == 0.05
    assert level_of([ClaimTest([INSIDE]), ClaimTest([OPEN])]) == 0.025
