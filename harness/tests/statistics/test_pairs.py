"""Every client of a row against every other."""

from itertools import permutations
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
    """Return rounds of clients whose laps vary by some percent."""
    random = Random(seed)  # noqa: S311 - noise, no secret
    return [
        record(client, *(round(rate * random.gauss(1, 0.04)) for _ in range(6)), number=number)
        for number in range(1, rounds + 1)
        for client, rate in (rates or RATES).items()
    ]


def rows_of(records: list[TrialRecord], baseline: str | None = None) -> list[Pairs]:
    """Return the pairs of each row."""
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


def test_a_pair_turned_round_is_its_inverse() -> None:
    """The interval too, and what is shown stays."""
    (pairs,) = rows_of(noisy())
    for one, other in permutations(pairs.cells, 2):
        there, back = pairs.ratio("rps", one, other), pairs.ratio("rps", other, one)
        assert there is not None
        assert back is not None
        assert (there.value * back.value, (there.low or 0) * (back.high or 0)) == pytest.approx((1, 1))
        assert there.shown == back.shown


def test_clear_differences_are_shown_and_noise_is_not() -> None:
    """One percent is within the noise of these laps, a factor of two is not."""
    (pairs,) = rows_of(noisy())
    shown = {one for one in "bcd" if (ratio := pairs.ratio("rps", f"{one}--sync", "a--sync")) and ratio.shown}
    assert shown == {"c", "d"}


def test_claims_are_corrected_for_all_pairs() -> None:
    """Of clients that do not differ, a difference is found in no more families than the confidence allows."""
    families = [rows_of(noisy(seed, a=1000, b=1000, c=1000, d=1000))[0] for seed in range(60)]
    false = sum(any(ratio.shown for ratio in family.by_metric["rps"].values()) for family in families)
    assert false <= 0.15 * len(families)
    assert {len(family.by_metric["rps"]) for family in families} == {6}


def test_a_row_has_one_scenario_shape_and_workload() -> None:
    """What a block compares beyond that, such as depths, is no pair: nobody is called faster for having less to do."""
    deep = [record("a", 900, 910, number=number, depth=10) for number in (1, 2)]
    flat = [record(name, 1000, 1100, number=number) for name in ("a", "b") for number in (1, 2)]
    mget = [one.model_copy(update={"cell_id": f"{one.cell_id}-mget", "workload": "mget"}) for one in flat]
    block = [one.model_copy(update={"block": "mine"}) for one in (*flat, *deep, *mget)]
    assert [pairs.cells for pairs in rows_of(block)] == [
        ("a--sync", "b--sync"),
        ("a--batching--depth=10",),
        ("a--sync-mget", "b--sync-mget"),
    ]


def test_clients_without_a_common_lap_have_no_ratio() -> None:
    """They did not take turns."""
    (pairs,) = rows_of([record("a", 1000, number=1), record("b", 1000, number=2)])
    assert pairs.ratio("rps", "a--sync", "b--sync") is None
