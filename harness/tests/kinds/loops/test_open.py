"""Trials whose units have due times: their warm-up, their slices, and the search for the highest rate."""

from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.duration import slice_s_of
from respmark.kinds.loops.record import Aim, SearchEnd
from respmark.kinds.loops.work import slice_work
from respmark.plan.plan import Trial
from respmark.results.records import Status
from respmark.workload.spec import CommandSpec, KeyArgument
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.fakes import RUNNERS, Before, FakeRunner, make_testbed
from tests.kinds.loops.conftest import TRIAL, Measured, World

GOAL = "find p99=1ms"


class OpenWorld(World):
    """A world in which trials may have rates."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def open_block(self, *trials: Trial, **settings: Any) -> Measured:  # noqa: ANN401 - settings' fields
        self.bed = make_testbed(self.executor, self.server, files=self.folder, **{"slice_s": 0.1, "laps": 2} | settings)
        return self.block(*trials)


@pytest.fixture
def open_world(tmp_path: Path) -> OpenWorld:
    return OpenWorld(tmp_path)


def at_rate(rate: str, client: str = "lib") -> Trial:
    return make_trial(Scenario.SYNC, Shape(rate=rate), client=make_client(client))


def slow_above(limit: float) -> Any:  # noqa: ANN401 - a function of a rate
    return lambda rate: 0.5e6 if rate <= limit else 2e6


def test_a_rate_is_kept_in_every_slice_that_counts(open_world: OpenWorld) -> None:
    (outcome,) = open_world.open_block(at_rate("2000")).records
    assert [one.rate_due for one in outcome.slices] == pytest.approx([2000, 2000])
    assert (outcome.status, outcome.found) == (Status.OK, None)
    assert outcome.latency is not None
    assert outcome.latency.max_ns == pytest.approx(1e5)


def test_an_open_loop_is_warmed_up_in_its_own_slices(open_world: OpenWorld) -> None:
    """After those of a closed loop; none of it is kept."""
    (outcome,) = open_world.open_block(at_rate("2000"), warmup_limit_s=30.0).records
    ordered = open_world.executor.runners[0].ordered
    is_open = [work.arrivals is not None for work in ordered if not work.keep]
    assert is_open == sorted(is_open)
    assert is_open.count(True) == 4
    assert all(work.arrivals for work in ordered if work.keep)
    assert outcome.warm_up is not None
    assert outcome.warm_up.slices == len(is_open)


def test_the_search_says_between_which_rates_the_highest_lies(open_world: OpenWorld) -> None:
    """Then latency is measured at shares of it: each client's own, and one rate that all have."""
    open_world.executor.latency_ns = slow_above(3_000)
    mine, other = open_world.open_block(at_rate(GOAL), at_rate(GOAL, "other")).records
    for outcome in (mine, other):
        assert outcome.found is not None
        assert outcome.found.held is not None
        assert outcome.found.failed is not None
        assert outcome.found.held <= 3_000 < outcome.found.failed <= outcome.found.held * 1.05
        assert outcome.found.ended is SearchEnd.FOUND
        aims = [str(one.aim) for one in outcome.slices if one.aim is not Aim.SEARCH]
        assert sorted(aims) == sorted([Aim.HALF, Aim.SEVENTY, Aim.NINETY, Aim.COMMON] * 2)


def test_an_interrupted_search_says_so_and_what_it_knew(open_world: OpenWorld) -> None:
    worked = 0

    def interrupted(_runner: FakeRunner, step: str) -> None:
        nonlocal worked
        worked += step == "work"
        if worked == 4:
            worked += 1
            raise KeyboardInterrupt

    before: Before = interrupted
    open_world.executor.before = before
    measured = open_world.open_block(at_rate(GOAL))
    assert isinstance(measured.cut, KeyboardInterrupt)
    (outcome,) = measured.records
    assert outcome.found is not None
    assert outcome.found.ended is SearchEnd.CUT_SHORT
    assert outcome.found.held == pytest.approx(2_250)
    assert outcome.found.failed is None


def test_a_client_that_keeps_to_the_goal_at_no_rate_has_none(open_world: OpenWorld) -> None:
    open_world.executor.latency_ns = slow_above(0)
    (outcome,) = open_world.open_block(at_rate(GOAL)).records
    assert outcome.found is not None
    assert (outcome.found.held, outcome.found.ended) == (None, SearchEnd.NONE_HELD)


def test_a_closed_loop_has_no_open_slice(world: World) -> None:
    loop = world.loop()
    loop.processes.bed.restore([TRIAL.cell])
    loop.processes.start()
    loop.processes.load()
    loop.processes.connect()
    loop.take_slice(slice_work(loop, 1), 1, 1)
    assert loop.last_open_slice() is None


POP = CommandSpec(name="LPOP", share=1.0, first_key=8, keys=1, arguments=(KeyArgument(),))
WORKLOADS = {"tiny": tiny_spec(), "queue": tiny_spec(name="queue", commands=50, elements_per_second=5, mix=(POP,))}


@pytest.mark.parametrize(
    ("workload", "sleeps", "awake_ns"), [("queue", True, 0), ("queue", False, None), ("tiny", True, None)]
)
def test_who_polls_a_list_sleeps_in_between_where_its_runner_can(
    world: World, tmp_path: Path, workload: str, *, sleeps: bool, awake_ns: int | None
) -> None:
    """Then its CPU is the client's. Who loads a server wakes up before a unit is due, to be in time."""
    runners = {"python": RUNNERS["python"].model_copy(update={"sleeps": sleeps})}
    trial = make_trial(Scenario.SYNC, Shape(rate="100"), workload=workload)
    work = slice_work(world.loop(trial, workloads=WORKLOADS, files=tmp_path, runners=runners), 1)
    assert work.arrivals is not None
    assert work.arrivals.awake_ns == awake_ns
    assert ("awake_ns" in work.model_dump_json()) is (awake_ns is not None)


@pytest.mark.parametrize(
    ("rate", "workload", "ms"),
    [
        ("2000", "tiny", 100),
        ("20", "tiny", 1000),
        ("1", "tiny", 2000),
        ("10", "queue", 400),
        ("500:0.2,900:0.1", "tiny", 300),
    ],
)
def test_a_plan_knows_how_long_slices_at_a_rate_last(
    world: World, tmp_path: Path, rate: str, workload: str, ms: int
) -> None:
    """Long enough for a few units and for the rarest command, up to a limit; where elements are pushed, for these."""
    trial = make_trial(Scenario.SYNC, Shape(rate=rate), workload=workload)
    loop = world.loop(trial, workloads=WORKLOADS, files=tmp_path, slice_s=0.1)
    assert slice_s_of(loop.processes.bed.settings, trial.cell) == pytest.approx(ms / 1e3)
    assert slice_work(loop, 1).ns == ms * 10**6
