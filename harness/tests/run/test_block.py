"""One round of a block, from the state of the database to the outcomes, with runners that play scripts."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from respmark.contract.events import Ready, Segment, SliceOrder
from respmark.contract.trial import Scenario, Shape, TrialRequest
from respmark.errors import RunnerFailedError
from respmark.execute.protocol import RunnerOrder
from respmark.results.records import Status
from respmark.run.block import measure_block
from respmark.run.participant import SLICE_GRACE_S, START_LIMIT_S
from tests.builders.plan import make_block, make_client, make_trial, tiny_workload
from tests.builders.records import make_loaded, make_ready, make_result
from tests.fake_executor import FakeExecutor, Step
from tests.fakes import honest, honest_slice, made_workload, make_context
from tests.run.conftest import OTHER, TRIAL, World
from tests.run.watched import Watched


def test_an_honest_trial_is_ok(world: World) -> None:
    """Every event, every slice and its evidence are there, and there is no reason."""
    outcome = world.measured(laps=3)
    assert (outcome.status, outcome.reason, outcome.stderr) == (Status.OK, None, ())
    told = [outcome.loaded[0].trial_id, outcome.ready[0].trial_id, outcome.results[0].trial_id]
    assert told == [TRIAL.id] * 3
    assert [one.lap for one in outcome.slices] == [1, 2, 3]
    for one in outcome.slices:
        assert one.mismatch is None
        assert one.evidence.workload_calls["get"].calls == one.evidence.expected.calls["get"]


def test_the_database_is_brought_to_its_state_first(world: World) -> None:
    """Before any runner starts, every key of the SET space is there."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        assert len(world.server.data) == 8
        yield from honest(world.server)(request, orders)

    assert world.measured(script).status is Status.OK


def test_connecting_and_verifying_are_evidence_of_their_own(world: World) -> None:
    """They are in no slice."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        steps = iter(honest(world.server)(request, orders))
        yield next(steps)
        world.server.perform(tiny_workload(), Segment(first_command=3, operations=9))
        world.server.calls["hello"] += 2
        world.server.counters["total_connections_received"] += 1
        yield from steps

    outcome = world.measured(script)
    assert outcome.status is Status.OK
    assert outcome.handshake is not None
    assert (outcome.handshake.calls["hello"], outcome.handshake.connections_received) == (2, 1)
    assert all(one.evidence.setup_calls == {} for one in outcome.slices)


def test_orders_come_one_by_one_and_say_what_the_settings_say(world: World) -> None:
    """Connect, slices counted from 1, finish; lead-in and duration are the suite's."""
    executor = Watched(honest(world.server))
    measure_block(make_context(executor, world.target, laps=2, slice_s=0.5, lead_in_s=0.25), make_block(TRIAL))
    connect, *slices, finish = executor.processes[0].orders
    assert (connect.order, finish.order) == ("connect", "finish")
    assert [order.slice for order in slices if isinstance(order, SliceOrder)] == [1, 2]
    for order in slices:
        assert isinstance(order, SliceOrder)
        assert (order.duration_ns, order.lead_in_ns, order.keep_samples) == (500_000_000, 250_000_000, True)


def test_clients_of_a_lap_begin_at_the_same_command_and_laps_elsewhere(world: World) -> None:
    """What is compared does the same commands; a lap's place does not depend on who is in it."""
    executor = Watched(honest(world.server))
    measure_block(make_context(executor, world.target, laps=5), make_block(TRIAL, OTHER))
    begun = [
        [order.first_command for order in process.orders if isinstance(order, SliceOrder)]
        for process in executor.processes
    ]
    assert begun[0] == begun[1]
    assert len(set(begun[0])) == 5


def test_turns_change_from_lap_to_lap_and_are_the_seeds(world: World) -> None:
    """Every client has one turn a lap; the same seed gives the same order."""
    orders = []
    for _ in range(2):
        executor = Watched(honest(world.server))
        measure_block(make_context(executor, world.target, laps=12), make_block(TRIAL, OTHER))
        orders.append([line for line in executor.log if line.startswith("slice")])
    laps = [orders[0][begin : begin + 2] for begin in range(0, 24, 2)]
    assert all(set(lap) == {f"slice {TRIAL.id}", f"slice {OTHER.id}"} for lap in laps)
    assert len({tuple(lap) for lap in laps}) == 2
    assert orders[0] == orders[1]


def test_a_client_warms_up_until_it_shows_no_trend(world: World) -> None:
    """Steady from the start, it works a little beside others, and alone as many slices as a trend would need to show.

    Their samples are dropped.
    """
    executor = Watched(honest(world.server))
    context = make_context(executor, world.target, warmup_limit_s=60.0, laps=1)
    outcome = measure_block(context, make_block(TRIAL)).outcomes[0]
    kept = [order.keep_samples for order in executor.processes[0].orders if isinstance(order, SliceOrder)]
    assert kept == [False] * (4 + 8) + [True]
    assert outcome.warm_up is not None
    assert (outcome.warm_up.slices, outcome.warm_up.is_steady) == (12, True)
    assert outcome.warm_up.together_s == pytest.approx(0.4)


def test_clients_warm_up_together_and_are_judged_alone(world: World) -> None:
    """As many have an order at the same time as there is room for; then each works alone until it is steady."""
    executor = Watched(honest(world.server))
    clients = [make_trial(client=make_client(name)) for name in "abc"]
    context = make_context(executor, world.target, warmup_limit_s=60.0, warmup_at_once=2, laps=1)
    assert {one.status for one in measure_block(context, make_block(*clients)).outcomes} == {Status.OK}
    a, b, c = (trial.id for trial in clients)
    worked = [line for line in executor.log if "slice" in line]
    both = [f"order slice {a}", f"order slice {b}", f"slice {a}", f"slice {b}"]
    assert worked[: 4 * 4] == both * 4
    alone = worked[4 * 4 : -2 * 3]
    assert alone == [
        line
        for trial, slices in ((c, 4), (a, 8), (b, 8), (c, 8))  # the first four of the last one: it was on its own then
        for line in [f"order slice {trial}", f"slice {trial}"] * slices
    ]


def test_a_trial_of_several_processes_takes_as_many_places(world: World) -> None:
    """Two processes fill two processors; a trial that needs more than there are works all the same."""
    executor = Watched(honest(world.server))
    trials = [make_trial(shape=Shape(processes=count)) for count in (2, 1, 3)]
    context = make_context(executor, world.target, warmup_limit_s=60.0, warmup_at_once=2, laps=1)
    assert {one.status for one in measure_block(context, make_block(*trials)).outcomes} == {Status.OK}
    ordered = [line for line in executor.log if line.startswith("order slice")]
    assert [line.count(trials[0].id) for line in ordered[:8]] == [1] * 8


def test_the_first_slice_alone_has_a_lead_in(world: World) -> None:
    """Its client has rested; placement by the kernel and caches are not those of continuous work."""
    executor = Watched(honest(world.server))
    context = make_context(executor, world.target, warmup_limit_s=60.0, lead_in_s=0.25, laps=1)
    measure_block(context, make_block(TRIAL))
    led_in = [order.lead_in_ns for order in executor.processes[0].orders if isinstance(order, SliceOrder)]
    assert led_in == [0] * 4 + [250_000_000] + [0] * 7 + [250_000_000]


def test_a_client_that_fails_while_others_warm_up_leaves_the_block(world: World) -> None:
    """Its place goes to the next one."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for number, event in enumerate(honest(world.server)(request, orders)):
            if request.trial_id == TRIAL.id and number == 3:
                raise RunnerFailedError("crash", 1)
            yield event

    context = make_context(FakeExecutor(script), world.target, warmup_limit_s=60.0, warmup_at_once=1, laps=4)
    failed, other = measure_block(context, make_block(TRIAL, OTHER)).outcomes
    assert (failed.status, failed.reason) == (Status.FAILED, "crash")
    assert (other.status, len(other.slices)) == (Status.OK, 4)


def test_laps_may_depend_on_what_went_before(world: World) -> None:
    """Whoever decides is asked once, after the warm-up, and what the block took is told."""
    asked: list[float] = []

    def laps(prepared_s: float) -> int:
        asked.append(prepared_s)
        return 5

    context = make_context(FakeExecutor(honest(world.server)), world.target, laps=2)
    measured = measure_block(context, make_block(TRIAL, OTHER), laps=laps)
    assert [len(outcome.slices) for outcome in measured.outcomes] == [5, 5]
    assert measured.spent is not None
    assert (len(asked), measured.spent.laps) == (1, 5)
    assert measured.spent.prepared_s >= asked[0]


def test_a_warm_up_that_reaches_its_limit_says_so(world: World) -> None:
    """The client is measured all the same; what is too short for both parts is spent alone."""
    outcome = world.measured(warmup_limit_s=0.12)
    assert outcome.status is Status.OK
    assert outcome.warm_up is not None
    assert (outcome.warm_up.slices, outcome.warm_up.together_s, outcome.warm_up.is_steady) == (3, 0, False)


def test_a_slice_of_long_units_lasts_longer(world: World) -> None:
    """Ten units at the least, once the warm-up has shown how long one is: here 0.02 s, two in its 0.04 s."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        kept = 0
        while isinstance(order := orders[-1], SliceOrder):
            kept += 2 if order.keep_samples else 0
            yield honest_slice(world.server, request, order, operations=2)
        yield make_result(kept, trial_id=request.trial_id)

    executor = Watched(script)
    measure_block(make_context(executor, world.target, slice_s=0.1, warmup_limit_s=0.04), make_block(TRIAL))
    last = executor.processes[0].orders[-2]
    assert isinstance(last, SliceOrder)
    assert last.duration_ns == 200_000_000


def test_connections_belong_to_the_trial_that_opened_them(world: World) -> None:
    """Those of clients that wait are not counted: here one of the first trial, two of the second."""
    opened = iter((1, 2))

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(world.server)(request, orders):
            if isinstance(event, Ready):
                world.server.connected += next(opened)
            yield event

    context = make_context(FakeExecutor(script), world.target)
    outcomes = measure_block(context, make_block(TRIAL, OTHER)).outcomes
    assert [outcome.slices[0].evidence.connections_open for outcome in outcomes] == [1, 2]


def test_clients_load_together_and_connect_one_after_the_other(world: World) -> None:
    """All are loaded before the first connects, so that the server sees one of them at a time."""
    executor = Watched(honest(world.server))
    measure_block(make_context(executor, world.target, laps=1), make_block(TRIAL, OTHER))
    assert executor.log[:6] == [
        *(f"loaded {trial.id}" for trial in (TRIAL, OTHER)),
        *(line for trial in (TRIAL, OTHER) for line in (f"order connect {trial.id}", f"ready {trial.id}")),
    ]


def test_a_runner_has_its_time_and_a_little_more(world: World) -> None:
    """Starting may take a minute, a slice half a minute beside its own length."""
    executor = Watched(honest(world.server))
    measure_block(make_context(executor, world.target, slice_s=2.0, lead_in_s=1.0), make_block(TRIAL))
    assert executor.limits["loaded"] == executor.limits["ready"] == START_LIMIT_S
    assert executor.limits["slice"] == 3.0 + SLICE_GRACE_S


def test_the_runner_is_told_what_the_plan_says(world: World) -> None:
    """Client, scenario, shape, workload and endpoint are the trial's and the context's."""
    client = make_client("lib@1[x=2]", version="1", options={"x": 2})
    trial = make_trial(Scenario.BATCHING, Shape(depth=10, processes=3), 2, client)
    context = make_context(FakeExecutor(honest(world.server)), world.target)
    context = replace(context, workloads={"tiny": made_workload(tiny_workload(), "/a.workload")})
    request = context.request(trial, part=1)
    assert request.trial_id == trial.id
    assert (request.client.library, request.client.version, request.client.options) == ("lib", "1", {"x": 2})
    assert (request.scenario, request.shape) == (Scenario.BATCHING, trial.cell.shape)
    assert (request.workload.path, request.workload.part, request.workload.parts) == ("/a.workload", 1, 3)
    assert request.target == world.target.endpoint
