"""Which slices a trial runs."""

import pytest

from respmark.kinds.loops.duration import LEAST_UNITS, LEAST_WAITS
from respmark.kinds.loops.work import LONGEST_SLICE_NS, first_command, slice_work
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.fakes import FakeRunner
from tests.kinds.loops.conftest import TRIAL, World


def test_slices_begin_all_over_the_workload() -> None:
    """However many there are, no tenth of it is left out, and none is preferred."""
    tenths = [first_command(number, 1000) // 100 for number in range(100)]
    assert all(8 <= tenths.count(tenth) <= 12 for tenth in range(10))


def test_a_slice_lasts_long_enough_for_a_few_units(world: World) -> None:
    """Long units make it longer, up to a limit."""
    one = world.loop(slice_s=0.1, lead_in_s=0.08)
    assert (slice_work(one, 1).ns, slice_work(one, 1).lead_in_ns, slice_work(one, 1).keep) == (10**8, 8 * 10**7, True)
    one.unit_ns = 5 * 10**7
    assert slice_work(one, 1).ns == LEAST_UNITS * one.unit_ns
    one.unit_ns = 10**10
    assert slice_work(one, 1).ns == LONGEST_SLICE_NS


def test_slices_have_few_units_where_the_server_lets_the_client_wait(world: World) -> None:
    """Ten units in each slice of a warm-up would take minutes."""
    one = world.loop(slice_s=0.1, workloads={"tiny": tiny_spec(waits_s=0.2)})
    one.unit_ns = 2 * 10**8
    assert slice_work(one, 1).ns == LEAST_WAITS * one.unit_ns


def ordered(world: World, client: str) -> list[int]:
    """Return how long the slices of a client's warm-up were, in ms."""
    (runner,) = [one for one in world.executor.runners if one.request.client.name == client]
    return [work.ns // 10**6 for work in runner.ordered if not work.keep]


def test_a_warm_up_is_beside_others_first_then_alone(world: World) -> None:
    """Four slices of 0.1 s together, then eight of 0.04 s without a trend; none of it is kept."""
    outcome = world.record(TRIAL, make_trial(client=make_client("other")), warmup_limit_s=30.0, slice_s=0.1)
    assert ordered(world, "lib") == ordered(world, "other") == [100] * 4 + [40] * 8
    assert outcome.warm_up is not None
    assert (outcome.warm_up.slices, outcome.warm_up.is_steady) == (12, True)
    assert outcome.warm_up.together_s == pytest.approx(0.4)
    assert [one.lap for one in outcome.slices] == [1, 2]


def test_a_warm_up_ends_at_its_limit(world: World) -> None:
    """A client whose compilers never rest is measured all the same, and its record says so."""

    def compiling(runner: FakeRunner, step: str) -> None:
        if step == "load":
            runner.compiled_ns = list(range(0, 10**12, 10**8))

    outcome = world.record(before=compiling, warmup_limit_s=2.0)
    assert outcome.warm_up is not None
    assert not outcome.warm_up.is_steady
    assert outcome.warm_up.work_s == pytest.approx(2.0, abs=0.2)
