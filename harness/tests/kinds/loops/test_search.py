"""The search for the highest rate that keeps to a goal."""

import numpy as np
import pytest

from respmark.contract.lines import Arrivals, Work
from respmark.contract.rate import Goal
from respmark.kinds.loops.open_loop import OpenSlice
from respmark.kinds.loops.record import Aim, FoundRate, SearchEnd
from respmark.kinds.loops.search import Curve, Search

GOAL = Goal(99, 1e6)
WORK = Work(first=0, ns=100_000_000, keep=True, arrivals=Arrivals(own=(), at=0, drain_ns=0))


def ended(*, well: bool) -> OpenSlice:
    """Return a slice whose units took half of the goal's time, or twice as long."""
    due = np.arange(100, dtype=np.float64) * 1e6
    latency = np.full(100, 0.5e6 if well else 2e6)
    return OpenSlice(WORK, due, np.column_stack([latency, due, np.zeros(100)]), places=1, ended_ns=WORK.ns)


def search(limit: float, closed_rps: float = 10_000) -> Search:
    """Return a search that has ended, of a client that keeps to the goal up to a rate."""
    one = Search(GOAL, closed_rps)
    for _ in range(200):
        if one.rate is None:
            break
        one.learn(ended(well=one.rate <= limit))
    return one


@pytest.mark.parametrize("limit", [300.0, 1_900.0, 7_000.0, 33_000.0])
def test_the_highest_rate_lies_between_the_last_that_passed_and_the_first_that_failed(limit: float) -> None:
    found = search(limit)
    assert found.rate is None
    assert found.held <= limit < found.failed <= found.held * 1.05


def test_a_client_that_keeps_to_the_goal_at_no_rate_has_none() -> None:
    found = search(0.0)
    assert (found.rate, found.held) == (None, 0.0)


def test_a_search_says_what_it_found_and_why_it_ended() -> None:
    """Near enough, at no rate, or before it was over: then what had passed by then."""
    whole, none, on_its_way = search(7_000.0), search(0.0), Search(GOAL, 10_000)
    on_its_way.learn(ended(well=True))
    assert whole.found(is_cut_short=False) == FoundRate(held=whole.held, failed=whole.failed, ended=SearchEnd.FOUND)
    assert (found := none.found(is_cut_short=True)).held is None
    assert found.ended is SearchEnd.NONE_HELD
    for is_cut_short, end in ((True, SearchEnd.CUT_SHORT), (False, SearchEnd.LAPS)):
        assert on_its_way.found(is_cut_short=is_cut_short) == FoundRate(held=2_000.0, failed=None, ended=end)


def test_one_slice_out_of_five_may_fail() -> None:
    one = Search(GOAL, 10_000)
    for count in range(300):
        if one.rate is None:
            break
        one.learn(ended(well=one.rate <= 5_000 and count % 5 != 4))
    assert one.held == pytest.approx(5_000, rel=0.06)


def test_latency_is_measured_below_each_clients_own_highest_rate_when_all_are_found() -> None:
    fast, slow = search(20_000.0), Search(GOAL, 1_000)
    curve, both = Curve(slices=2), [fast, slow]
    curve.begin_lap(both)
    assert curve.next(slow) == (Aim.SEARCH, 200)
    while slow.rate is not None:
        slow.learn(ended(well=slow.rate <= 1_000))
    assert curve.next(fast) is None  # in the lap in which the other ended
    curve.begin_lap(both)
    points = [curve.next(fast) for _ in range(8)]
    common = (Aim.COMMON, slow.held * 0.7)
    assert (
        points
        == [(Aim.HALF, fast.held * 0.5), (Aim.SEVENTY, fast.held * 0.7), (Aim.NINETY, fast.held * 0.9), common] * 2
    )
    assert not curve.is_over(both)
    assert [curve.next(slow) for _ in range(8)][3] == common
    assert curve.is_over(both)
    assert curve.next(fast) is None
