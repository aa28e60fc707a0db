"""Rounds as a table: sums over the slices that count."""

from typing import Any

import pytest

from respmark.kinds.loops.record import Aim, WarmUp
from respmark.kinds.loops.rounds import counted, responses, rounds_of
from tests.builders.records import MILLISECOND_NS, SECOND_NS, make_record, make_run, make_slice_record


def row(*slices: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - a record's fields
    return rounds_of(make_run(make_record(slices=list(slices), **fields))).row(0, named=True)


def test_a_round_is_the_sum_of_its_slices_that_count() -> None:
    """Lost and repeated slices are counted, and are in no sum."""
    found = row(
        make_slice_record(1000, 1),
        make_slice_record(500, 2),
        make_slice_record(9000, 3, reason="KEYS 1"),
        make_slice_record(9000, 4, is_repeated=True),
    )
    assert (found["operations"], found["slices"], found["lost"], found["repeated"]) == (1500, 2, 1, 1)


@pytest.mark.parametrize(("second", "total"), [(200 * MILLISECOND_NS, 300 * MILLISECOND_NS), (None, None)])
def test_what_one_slice_does_not_know_the_round_does_not_know(second: int | None, total: int | None) -> None:
    """A sum over some of the slices would be too small."""
    slices = [
        make_slice_record(number=1, other_cpu_ns=100 * MILLISECOND_NS),
        make_slice_record(number=2, other_cpu_ns=second),
    ]
    assert row(*slices)["other_cpu_ns"] == total


def test_a_round_without_a_slice_that_counts_has_no_row() -> None:
    """There is nothing to say about it."""
    assert rounds_of(make_run(make_record(slices=[make_slice_record(1000, 1, reason="KEYS 1")]))).is_empty()


def test_the_clients_cpu_includes_its_waits_but_not_with_a_rate() -> None:
    """In an open loop its runner reads the clock until a unit is due, which is no cost of the client; or it sleeps."""
    times = {"slice_cpu_ns": SECOND_NS, "waited_ns": SECOND_NS, "waiting_cpu_ns": SECOND_NS // 2}
    assert row(make_slice_record(**times))["client_ns"] == SECOND_NS * 3 // 2
    assert row(make_slice_record(**times, rate_due=1000.0))["client_ns"] is None
    assert row(make_slice_record(**times, rate_due=1000.0, awake_ns=0))["client_ns"] == SECOND_NS * 3 // 2


def test_of_a_search_the_slices_below_the_highest_rate_count() -> None:
    """Those at 70 % of it in figures; those at the rate of all clients in ratios of latencies, if it was held."""
    aims = (Aim.SEARCH, Aim.SEVENTY, Aim.COMMON, Aim.COMMON)
    slices = [
        make_slice_record(number=number, aim=aim, rate_due=1000.0, is_saturated=number == len(aims))
        for number, aim in enumerate(aims, start=1)
    ]
    run = make_run(make_record(slices=slices))
    assert counted(run).collect()["lap"].to_list() == [2]
    assert responses(run).collect()["lap"].to_list() == [3]


def test_a_round_knows_its_warm_up_and_the_machines_processors() -> None:
    """A trial without a warm-up counts as steady."""
    warm_up = WarmUp(slices=9, work_s=1.5, is_steady=False, is_apart_from_server=True)
    names = ("warmup_s", "is_steady", "is_apart", "cpus")
    assert [row(make_slice_record(), warm_up=warm_up)[name] for name in names] == [1.5, False, True, 4]
    assert [row(make_slice_record(), warm_up=None)[name] for name in names] == [None, True, False, 4]
