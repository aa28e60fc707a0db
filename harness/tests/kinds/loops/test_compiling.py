"""Warming up, and clients whose just-in-time compilers are at work, also in slices that count."""

from itertools import accumulate

import pytest

from respmark.kinds.loops.duration import LEAST_TOGETHER
from respmark.kinds.loops.record import WarmUp
from respmark.kinds.loops.warm_up import LOOKED_AT
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.fakes import Before, FakeRunner
from tests.kinds.loops.conftest import World

SETTLED_AT = 1 + LEAST_TOGETHER + 1 + LOOKED_AT
"""Readings of what compilers used: one before each part of the warm-up, one after each of its slices."""
MS = 1_000_000


def compiling(*readings_ns: int) -> Before:

    def before(runner: FakeRunner, step: str) -> None:
        if step == "start":
            runner.compiled_ns = list(readings_ns)

    return before


def warm_up(world: World, *readings_ns: int, limit_s: float = 60.0) -> WarmUp:
    found = world.record(before=compiling(*readings_ns), warmup_limit_s=limit_s, laps=1).warm_up
    assert found is not None
    return found


def test_a_client_warms_up_until_it_shows_no_trend(world: World) -> None:
    """Steady from the start, it works a little beside others, and alone as many slices as a trend would need to show.

    The first one alone has a lead-in, as it has rested; latencies are kept of none.
    """
    found = warm_up(world)
    assert (found.slices, found.is_steady, found.compiling_percent) == (12, True, None)
    assert found.together_s == pytest.approx(0.4)
    ordered = World()
    ordered.block(warmup_limit_s=60.0, lead_in_s=0.25, laps=1)
    works = ordered.executor.runners[0].ordered
    assert [one.keep for one in works] == [False] * 12 + [True]
    assert [bool(one.lead_in_ns) for one in works] == [False] * 4 + [True] + [False] * 7 + [True]


def test_a_warm_up_that_reaches_its_limit_says_so(world: World) -> None:
    """The client is measured all the same; what is too short for both parts is spent alone."""
    found = warm_up(world, limit_s=0.12)
    assert (found.slices, found.together_s, found.is_steady) == (3, 0, False)


def test_clients_warm_up_together_and_are_judged_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many have an order at the same time as there is room for; then each works alone until it is steady."""
    clients = [make_trial(client=make_client(name)) for name in "abc"]
    monkeypatch.setattr("respmark.kinds.loops.measurement.available_cpus", lambda: {0, 1})
    measured = world.block(*clients, warmup_limit_s=60.0, laps=1)
    assert {one.status for one in measured.records} == {Status.OK}
    worked = world.steps("work", "worked")
    assert worked[: 4 * 4] == ["work a 0", "work b 0", "worked a 0", "worked b 0"] * 4
    slices = (("c", 4), ("a", 8), ("b", 8), ("c", 8))  # the first four of the last one: it was on its own then
    assert worked[4 * 4 : -2 * 3] == [
        line for name, count in slices for line in [f"work {name} 0", f"worked {name} 0"] * count
    ]


def test_a_slice_of_long_units_lasts_longer(world: World) -> None:
    """Ten units at the least, once the warm-up has shown how long one is: here 0.02 s, two in its 0.04 s."""
    world.executor.units = 2
    world.block(slice_s=0.1, warmup_limit_s=0.04)
    assert world.executor.runners[0].ordered[-1].ns == 200 * MS


@pytest.mark.parametrize("busy", [0, 10, 12])
def test_a_client_whose_compilers_are_busy_is_not_warm(world: World, busy: int) -> None:
    """However steady it looks: they use 40 % of `busy` slices; four idle ones and eight alone follow."""
    found = warm_up(world, *(min(one, busy) * 40 * MS for one in range(40)))
    assert (found.slices, found.is_steady) == (busy + 12, True)
    assert found.compiling_percent == pytest.approx(0.0)


BUSY, IDLE = 101, 100
"""Milliseconds of a slice of one second."""


@pytest.mark.parametrize(
    ("compiling_ms", "laps"),
    [
        ([IDLE, IDLE], [1, 2]),
        ([BUSY, IDLE, IDLE], [1, 1, 2]),
        ([IDLE, BUSY, IDLE], [1, 2, 2]),
        ([BUSY, BUSY, BUSY, IDLE], [1, 1, 1, 2]),  # the third counts, whatever compilers do in it
    ],
)
def test_a_slice_is_worked_again_while_compilers_are_at_work(
    world: World, compiling_ms: list[int], laps: list[int]
) -> None:
    """At the same place of the workload, and without a wait that would be charged to the client."""
    readings = [0] * SETTLED_AT + before_and_after(compiling_ms)
    settings = {"warmup_limit_s": 60.0, "laps": 2, "slice_s": 0.9, "lead_in_s": 0.1}
    found = world.record(before=compiling(*readings), **settings)
    assert (found.status, found.reason) == (Status.OK, None)
    assert [one.lap for one in found.slices] == laps
    assert [one.compiling_ns for one in found.slices] == [one * MS for one in compiling_ms]
    assert [one.is_repeated for one in found.slices] == [
        lap == after for lap, after in zip(laps, [*laps[1:], 0], strict=True)
    ]
    assert [one.waited_ns > 0 for one in found.slices] == [
        lap != before for lap, before in zip(laps, [1, *laps], strict=False)
    ]
    assert len({one.first for one in world.executor.runners[0].ordered[12:]}) == 2


def before_and_after(compiling_ms: list[int]) -> list[int]:
    after = list(accumulate(one * MS for one in compiling_ms))
    return [one for pair in zip([0, *after], after, strict=False) for one in pair]
