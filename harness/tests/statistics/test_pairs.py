"""Every client of a row against every other."""

from itertools import permutations
from random import Random

import pytest

from respmark.paths import HARNESS
from respmark.results.records import TrialRecord
from respmark.results.store import read_run
from respmark.statistics.blocks import ShownRatio, blocks_of, comparisons_of
from respmark.statistics.measured import COMPARED
from respmark.statistics.pairs import Pairs, pairs_of
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


def only(records: list[TrialRecord], baseline: str | None = None) -> Pairs:
    """Return the pairs of records that make one row."""
    (found,) = pairs_of(blocks_of(records), baseline)
    return found


@pytest.mark.parametrize("baseline", ["a", "c"])
def test_ratios_and_intervals_are_those_of_a_comparison_with_the_baseline(baseline: str) -> None:
    """Which the tables print."""
    pairs = only(noisy(), baseline=baseline)
    for cell, comparison in comparisons_of(blocks_of(noisy()), baseline).items():
        for metric in COMPARED:
            found, expected = pairs.ratio(metric, cell, comparison.baseline), getattr(comparison, metric)
            assert found is not None
            assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_a_pair_turned_round_is_its_inverse() -> None:
    """The interval too, and what is shown stays."""
    pairs = only(noisy())
    for one, other in permutations(pairs.cells, 2):
        there, back = pairs.ratio("rps", one, other), pairs.ratio("rps", other, one)
        assert there is not None
        assert back is not None
        assert there.low is not None
        assert back.high is not None
        assert there.value * back.value == pytest.approx(1)
        assert there.low * back.high == pytest.approx(1)
        assert there.shown == back.shown


def test_clear_differences_are_shown_and_noise_is_not() -> None:
    """One percent is within the noise of these laps, a factor of two is not."""
    pairs = only(noisy())

    def is_shown(one: str, other: str) -> bool:
        found = pairs.ratio("rps", f"{one}--sync", f"{other}--sync")
        return found is not None and found.shown

    assert is_shown("c", "a")
    assert is_shown("d", "a")
    assert not is_shown("a", "b")


def test_claims_are_corrected_for_all_pairs() -> None:
    """Of clients that do not differ, a difference is found in no more families than the confidence allows.

    With one baseline only its own comparisons are corrected for: there are fewer, and each needs less.
    """
    families = [only(noisy(seed, a=1000, b=1000, c=1000, d=1000)) for seed in range(60)]
    false = sum(any(ratio.shown for ratio in family.by_metric["rps"].values()) for family in families)
    assert false <= 0.15 * len(families)
    assert {len(family.by_metric["rps"]) for family in families} == {6}


def test_a_row_has_one_scenario_and_shape() -> None:
    """What a block compares beyond that, such as depths, is no pair."""
    deep = [record("a", 900, 910, number=number, depth=10) for number in (1, 2)]
    flat = [record(name, 1000, 1100, number=number) for name in ("a", "b") for number in (1, 2)]
    block = [one.model_copy(update={"block": "mine"}) for one in (*flat, *deep)]
    assert [pairs.cells for pairs in pairs_of(blocks_of(block))] == [("a--sync", "b--sync"), ("a--batching--depth=10",)]


def test_a_row_has_one_workload() -> None:
    """A block that compares workloads calls nobody faster for having less to do."""
    get = [record(name, 1000, 1100, number=number) for name in ("a", "b") for number in (1, 2)]
    mget = [one.model_copy(update={"cell_id": f"{one.cell_id}--workload=mget", "workload": "mget"}) for one in get]
    assert [pairs.cells for pairs in pairs_of(blocks_of([*get, *mget]))] == [
        ("a--sync", "b--sync"),
        ("a--sync--workload=mget", "b--sync--workload=mget"),
    ]


def test_clients_without_a_common_lap_have_no_ratio() -> None:
    """They did not take turns."""
    pairs = only([record("a", 1000, number=1), record("b", 1000, number=2)])
    assert pairs.ratio("rps", "a--sync", "b--sync") is None


def test_one_round_shows_nothing() -> None:
    """It has a ratio without an interval."""
    found = only([record("a", 1000, 1000), record("b", 9000, 9000)]).ratio("rps", "b--sync", "a--sync")
    assert found is not None
    assert found == ShownRatio(value=found.value, low=None, high=None, shown=False)
    assert found.value == pytest.approx(9.0)


def test_records_of_version_1_have_no_pairs() -> None:
    """They had one window each, minutes apart."""
    assert pairs_of(blocks_of(read_run(HARNESS / "tests" / "results" / "version1").records)) == []
