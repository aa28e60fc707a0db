"""Every client of a row against every other."""

from random import Random

import pytest

from respmark.results.records import TrialRecord
from respmark.statistics.blocks import comparisons_of
from respmark.statistics.measured import COMPARED
from respmark.statistics.ranking import Pairs, pairs_of
from tests.builders.records import make_run
from tests.statistics.test_blocks import record

RATES = {"a": 1000, "b": 1010, "c": 2000, "d": 500}


def noisy(seed: int = 1, rounds: int = 3, **rates: int) -> list[TrialRecord]:
    random = Random(seed)  # noqa: S311 - noise, no secret
    return [
        record(client, *(round(rate * random.gauss(1, 0.04)) for _ in range(6)), number=number)
        for number in range(1, rounds + 1)
        for client, rate in (rates or RATES).items()
    ]


def rows_of(records: list[TrialRecord], baseline: str | None = None) -> list[Pairs]:
    return pairs_of(make_run(*records).blocks, baseline)


@pytest.mark.parametrize("baseline", ["a", "c"])
def test_ratios_and_intervals_are_those_of_a_comparison_with_the_baseline(baseline: str) -> None:
    """Which the tables print."""
    (pairs,) = rows_of(noisy(), baseline)
    for cell, comparison in comparisons_of(make_run(*noisy()).blocks, baseline).items():
        for metric in COMPARED:
            found, expected = pairs.ratio(metric, cell, comparison.baseline), comparison.ratio(metric)
            assert found is not None
            assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_claims_are_corrected_for_all_pairs() -> None:
    """Of clients that do not differ, a difference is found in no more families than the confidence allows."""
    families = [rows_of(noisy(seed, a=1000, b=1000, c=1000, d=1000))[0] for seed in range(60)]
    false = sum(any(ratio.shown for ratio in family.by_metric["rps"].values()) for family in families)
    assert false <= 0.15 * len(families)
    assert {len(family.by_metric["rps"]) for family in families} == {6}
