"""What a run of a client against itself claims."""

import random

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Trial
from respmark.results.records import TrialRecord
from respmark.statistics.cells import counted
from respmark.statistics.false_claims import FalseClaims, false_claims
from tests.builders.plan import make_client
from tests.builders.records import make_record, make_run, make_slice_record


def copies(*speeds: int, rounds: int = 4) -> list[TrialRecord]:
    """Return a block of one client's copies, each with a speed of its own that varies by a few percent."""
    chance = random.Random(5)  # noqa: S311 - not for secrets
    return [
        make_record(
            Trial(Cell(make_client(), Scenario.SYNC, Shape(), None, block_name="itself-1", copy=copy), number),
            slices=[make_slice_record(round(speed * 100 * chance.gauss(1, 0.02)), lap) for lap in range(1, 6)],
        )
        for number in range(1, rounds + 1)
        for copy, speed in enumerate(speeds, start=1)
    ]


def claims_of(*speeds: int, rounds: int = 4) -> FalseClaims:
    """Return what is claimed of the copies."""
    return false_claims(counted(make_run(*copies(*speeds, rounds=rounds))))


def test_equals_claim_nothing() -> None:
    """Every copy but the first is a comparison."""
    found = claims_of(50, 50, 50)
    assert (found.client, found.scenario) == ("lib", "sync")
    assert (found.comparisons, found.false_claims) == (2, 0)
    assert found.within_confidence


def test_a_comparison_that_claims_several_differences_is_counted_once() -> None:
    """A copy that is half as fast differs in throughput and in both costs."""
    found = claims_of(50, 25, 50)
    assert found.false_claims == 1
    assert {metric: one.false_claims for metric, one in found.metrics.items()} == {
        "rps": 1,
        "client_cpu": 1,
        "server_cpu": 1,
    }
    assert found.metrics["rps"].intervals_without_1 == 1
    assert not found.within_confidence


def test_widths_are_told_in_percent() -> None:
    """The median, and what nine of ten do not exceed."""
    rps = claims_of(50, 50, 50).metrics["rps"]
    assert rps.half_width_percent_median is not None
    assert rps.half_width_percent_90 is not None
    assert rps.half_width_percent_median > 0
    assert rps.half_width_percent_90 <= 2 * rps.half_width_percent_median


def test_one_round_has_no_widths() -> None:
    """Without intervals nothing is claimed either."""
    found = claims_of(50, 25, rounds=1)
    assert found.false_claims == 0
    assert found.metrics["rps"].half_width_percent_median is None
    assert found.metrics["rps"].half_width_percent_90 is None


@pytest.mark.parametrize(("claims", "within"), [(3, True), (4, False)])
def test_5_percent_are_within_confidence(claims: int, *, within: bool) -> None:
    """Three of sixty are, four are not."""
    found = claims_of(50, 50).model_copy(update={"comparisons": 60, "false_claims": claims})
    assert found.within_confidence is within
