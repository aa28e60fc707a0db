"""Which comparisons a run that goes on until they are narrow still has to measure."""

import math

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Trial
from respmark.results.manifest import Until
from respmark.results.records import SliceRecord, TrialRecord
from respmark.statistics.blocks import blocks_of, comparisons_of
from respmark.statistics.narrow import least_certain_blocks, wide_comparisons
from tests.builders.plan import make_client
from tests.builders.records import make_moment, make_record, make_slice, make_slice_record


def until(half_width: float, looks: int = 1) -> Until:
    """Return how narrow they are to be."""
    return Until(half_width=half_width, budget_s=1.0, looks=looks)


def slices(number: int, spread: int) -> list[SliceRecord]:
    """Return laps whose throughput varies by so much, around 1,000."""
    return [make_slice_record(1000 + (7 * number + 3 * lap) % 5 * spread, lap) for lap in range(1, 6)]


def records(spread: int, rounds: int = 4) -> list[TrialRecord]:
    """Return rounds of a steady baseline, and of a client that varies."""
    return [
        make_record(Trial(Cell(make_client(client), Scenario.SYNC, Shape(), None), number), slices=slices(number, by))
        for number in range(1, rounds + 1)
        for client, by in (("a", 0), ("b", spread))
    ]


def test_what_is_narrow_enough_is_not_named() -> None:
    """Nothing is left to be measured."""
    assert wide_comparisons(blocks_of(records(1)), until(0.02)) == {}


def test_what_is_wider_is_named_with_its_half_width() -> None:
    """The wider of throughput and client CPU per command."""
    (comparison,) = comparisons_of(blocks_of(records(100))).values()
    wide = wide_comparisons(blocks_of(records(100)), until(0.001))
    rps, client_cpu = comparison.ratio("rps").half_width, comparison.ratio("client_cpu").half_width
    assert rps is not None
    assert client_cpu is not None
    assert wide == {"b--sync": max(rps, client_cpu)}


def test_cpu_alone_can_be_too_wide() -> None:
    """Throughput that is steady does not hide it."""

    def busy(number: int, lap: int) -> SliceRecord:
        answer = make_slice(1000, lap)
        used_ns = (lap - 1) * 500_000_000
        ended = make_moment(answer.ended.at_ns, used_ns + 400_000_000 + (7 * number + 3 * lap) % 5 * 50_000_000)
        return make_slice_record(1000, lap, answers=[answer.model_copy(update={"ended": ended})])

    steady = [one for one in records(0) if one.client.name == "a"]
    varying = [one.model_copy(update={"slices": [busy(one.round, lap) for lap in range(1, 6)]}) for one in records(0)]
    mixed = [*steady, *(one for one in varying if one.client.name == "b")]
    (comparison,) = comparisons_of(blocks_of(mixed)).values()
    half_width = comparison.ratio("rps").half_width
    assert half_width is not None
    assert half_width < 0.01
    assert wide_comparisons(blocks_of(mixed), until(0.01)).keys() == {"b--sync"}


def test_every_look_has_its_share_of_the_error() -> None:
    """The same records are wider where the run may look five times."""
    (once,) = wide_comparisons(blocks_of(records(100)), until(0.001)).values()
    (often,) = wide_comparisons(blocks_of(records(100)), until(0.001, looks=5)).values()
    assert often > once


def test_without_intervals_nothing_is_narrow() -> None:
    """One round is endlessly wide, however wide an interval is wanted."""
    assert wide_comparisons(blocks_of(records(1, rounds=1)), until(0.99)) == {"b--sync": math.inf}


@pytest.mark.parametrize("half_width", [0, 1, -0.1])
def test_no_width_and_all_of_it_cannot_be_asked_for(half_width: float) -> None:
    """They are no percentages that a run could end with."""
    with pytest.raises(ValueError, match="half_width"):
        until(half_width)


def test_the_least_certain_block_comes_first() -> None:
    """By the median of its intervals; a block in which nothing is compared is not among them."""
    steady = [one.model_copy(update={"block": "calm", "cell_id": f"calm-{one.cell_id}"}) for one in records(10)]
    alone = [one.model_copy(update={"block": "alone"}) for one in records(500) if one.client.name == "a"]
    found = blocks_of([*steady, *records(100), *(one.model_copy(update={"cell_id": "c"}) for one in alone)])
    assert least_certain_blocks(found) == ["sync", "calm"]


def test_a_block_without_intervals_is_the_least_certain() -> None:
    """One round shows nothing."""
    once = [one.model_copy(update={"block": "once", "cell_id": f"once-{one.cell_id}"}) for one in records(0, rounds=1)]
    assert least_certain_blocks(blocks_of([*records(100), *once])) == ["once", "sync"]
