"""Every client of a row against every other, and which of them are the fastest."""

from random import Random

import pytest

from respmark.figures.comparison import changes, per_base
from respmark.figures.pairing import to_baseline
from respmark.figures.ranking import Standing, each_other, ratio_between, standings_of
from respmark.kinds.loops.record import LoopRecord
from respmark.specs.client_tables import Capabilities
from tests.builders.plan import make_client
from tests.builders.records import laps, make_run
from tests.figures.builders import record


def standings(*records: LoopRecord) -> dict[str, Standing]:
    return {cell_id.partition("--")[0]: one for cell_id, one in standings_of(make_run(*records)).items()}


def test_the_fastest_is_the_one_that_nobody_is_shown_to_be_faster_than() -> None:
    """The others know who is, in the order of their estimates, and how far they are from the leader."""
    found = standings(*laps("slow", 1000), *laps("fast", 4000), *laps("middle", 2000))
    assert [name for name, one in found.items() if one.is_fastest] == ["fast"]
    assert found["slow"].faster == ["fast", "middle"]
    assert found["middle"].faster == ["fast"]
    assert [found[name].place for name in ("fast", "middle", "slow")] == [1, 2, 3]
    assert found["fast"].ratio is None
    ratio = found["slow"].ratio
    assert ratio is not None
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.low < 0.25 < ratio.high
    assert ratio.shown


def test_a_tie_is_a_tie() -> None:
    """Between two that show no difference none is the best, whichever figure is higher."""
    found = standings(*laps("one", 2001), *laps("two", 2000), *laps("slow", 1000))
    assert [(name, one.is_tied) for name, one in found.items() if one.is_fastest] == [("one", True), ("two", True)]
    assert not found["slow"].is_tied


RATES = {"a": 1000, "b": 1010, "c": 2000, "d": 500}


def noisy(seed: int = 1, rounds: int = 3, **rates: int) -> list[LoopRecord]:
    random = Random(seed)  # noqa: S311 - noise, no secret
    return [
        record(client, *(round(rate * random.gauss(1, 0.04)) for _ in range(6)), number=number)
        for number in range(1, rounds + 1)
        for client, rate in (rates or RATES).items()
    ]


@pytest.mark.parametrize("baseline", ["a", "c"])
def test_ratios_and_intervals_are_those_of_a_comparison_with_the_baseline(baseline: str) -> None:
    run = make_run(*noisy())
    pairs = each_other(run)
    for comparison in changes(to_baseline(run, baseline), per_base):
        for metric in ("rps", "client_cpu", "server_cpu"):
            found = ratio_between(pairs, metric, comparison.new.cell_id, comparison.base.cell_id)
            expected = comparison.ratio(metric)
            assert found is not None
            assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_claims_are_corrected_for_all_pairs() -> None:
    """Of clients that do not differ, a difference is found in no more families than the confidence allows."""
    families = [each_other(make_run(*noisy(seed, a=1000, b=1000, c=1000, d=1000))) for seed in range(60)]
    false = sum(any(one.ratio("rps").shown for one in family.values()) for family in families)
    assert false <= 0.15 * len(families)
    assert {len(family) for family in families} == {6}


def test_a_reference_driver_is_in_no_ranking() -> None:
    driver = make_client("driver", capabilities=Capabilities(is_library=False))
    records = [one.model_copy(update={"client": driver}) for one in laps("driver", 9000)]
    found = standings(*records, *laps("one", 2000), *laps("two", 1000))
    assert [(name, one.place, one.faster) for name, one in found.items()] == [("one", 1, []), ("two", 2, ["one"])]
