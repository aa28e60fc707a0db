"""One round of a block, from the state of the database to the outcomes, with runners that play scripts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from respmark.contract.events import Ready, Result, Segment, Slice, SliceOrder, Work
from respmark.contract.trial import Scenario, Shape, TrialRequest
from respmark.errors import TargetLostError
from respmark.execute.fake import FakeExecutor, FakeProcess, Script, Step
from respmark.execute.protocol import RunnerFailedError, RunnerMissingError, RunnerOrder
from respmark.records import Status
from respmark.run.block import Measured, measure_block
from respmark.run.participant import SLICE_GRACE_S, START_LIMIT_S, Outcome
from respmark.specs.client import Client
from tests.builders import (
    make_block,
    make_client,
    make_loaded,
    make_ready,
    make_result,
    make_slice,
    make_trial,
    tiny_workload,
)
from tests.fakes import FakeServer, FakeTarget, honest, honest_slice, make_bench

TRIAL = make_trial()
OTHER = make_trial(client=make_client("other"))
TWO = make_trial(shape=Shape(processes=2))


class World:
    """A bench whose server and runners a test can look into."""

    def __init__(self) -> None:
        self.target = FakeTarget()
        self.server: FakeServer = self.target.control.server

    def measured(self, script: Script | None = None, **settings: Any) -> Outcome:  # noqa: ANN401 - settings' fields
        """Measure a block of one trial whose runner plays this script, or is honest."""
        bench = make_bench(FakeExecutor(script or honest(self.server)), self.target, **settings)
        return measure_block(bench, make_block(TRIAL)).outcomes[0]

    def changed(self, **changes: Any) -> Script:  # noqa: ANN401 - a slice's fields
        """Return the script of a runner that does honest work and answers it with other fields."""

        def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
            for event in honest(self.server)(request, orders):
                yield event.model_copy(update=changes) if isinstance(event, Slice) else event

        return script


@pytest.fixture
def world() -> World:
    """Return a world of its own."""
    return World()


def playing(*steps: Step) -> Script:
    """Return a script of these steps, whatever is ordered."""
    return lambda _request, _orders: steps


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
    measure_block(make_bench(executor, world.target, laps=2, slice_s=0.5, lead_in_s=0.25), make_block(TRIAL))
    connect, *slices, finish = executor.processes[0].orders
    assert (connect.order, finish.order) == ("connect", "finish")
    assert [order.slice for order in slices if isinstance(order, SliceOrder)] == [1, 2]
    for order in slices:
        assert isinstance(order, SliceOrder)
        assert (order.duration_ns, order.lead_in_ns, order.keep_samples) == (500_000_000, 250_000_000, True)


def test_clients_of_a_lap_begin_at_the_same_command_and_laps_elsewhere(world: World) -> None:
    """What is compared does the same commands; a lap's place does not depend on who is in it."""
    executor = Watched(honest(world.server))
    measure_block(make_bench(executor, world.target, laps=5), make_block(TRIAL, OTHER))
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
        measure_block(make_bench(executor, world.target, laps=12), make_block(TRIAL, OTHER))
        orders.append([line for line in executor.log if line.startswith("slice")])
    laps = [orders[0][begin : begin + 2] for begin in range(0, 24, 2)]
    assert all(set(lap) == {f"slice {TRIAL.id}", f"slice {OTHER.id}"} for lap in laps)
    assert len({tuple(lap) for lap in laps}) == 2
    assert orders[0] == orders[1]


def test_a_client_warms_up_until_it_shows_no_trend(world: World) -> None:
    """Steady from the start, it works as many slices as a trend would need to show; their samples are dropped."""
    executor = Watched(honest(world.server))
    bench = make_bench(executor, world.target, warmup_limit_s=60.0, laps=1)
    outcome = measure_block(bench, make_block(TRIAL)).outcomes[0]
    kept = [order.keep_samples for order in executor.processes[0].orders if isinstance(order, SliceOrder)]
    assert kept == [False] * 8 + [True]
    assert outcome.warm_up is not None
    assert (outcome.warm_up.slices, outcome.warm_up.is_steady) == (8, True)


def test_a_warm_up_that_reaches_its_limit_says_so(world: World) -> None:
    """The client is measured all the same."""
    outcome = world.measured(warmup_limit_s=0.3)
    assert outcome.status is Status.OK
    assert outcome.warm_up is not None
    assert (outcome.warm_up.slices, outcome.warm_up.is_steady) == (3, False)


def test_a_slice_of_long_units_lasts_longer(world: World) -> None:
    """Ten units at the least, once the warm-up has shown how long one is: here 0.05 s, two in its 0.1 s."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        kept = 0
        while isinstance(order := orders[-1], SliceOrder):
            kept += 2 if order.keep_samples else 0
            yield honest_slice(world.server, request, order, operations=2)
        yield make_result(kept, trial_id=request.trial_id)

    executor = Watched(script)
    measure_block(make_bench(executor, world.target, slice_s=0.2, warmup_limit_s=0.1), make_block(TRIAL))
    last = executor.processes[0].orders[-2]
    assert isinstance(last, SliceOrder)
    assert last.duration_ns == 500_000_000


def test_a_claim_that_is_not_true_is_failed_and_kept(world: World) -> None:
    """The reason has both numbers; slices and evidence stay for who wants to look."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        while isinstance(order := orders[-1], SliceOrder):
            yield honest_slice(FakeServer(), request, order)
        yield make_result(200, trial_id=request.trial_id)

    outcome = world.measured(script)
    assert outcome.status is Status.FAILED
    assert "claimed 100 calls, the server saw 0" in (outcome.reason or "")
    assert len(outcome.slices) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"measured": Work(operations=100, units=99)}, "99 units of 1 but 100 operations"),
        ({"measured": Work(operations=0, units=0), "segments": []}, "no operation was completed"),
        ({"segments": [Segment(first_command=1, operations=100)]}, "was to begin at"),
        ({"ended": make_slice().measured_from}, "not the 1000 ms asked for"),
        ({"errors": {"TimeoutError": 2}, "first_error": "slow"}, "2 x TimeoutError in the slice, first: slow"),
    ],
)
def test_an_answer_that_contradicts_itself_or_its_order_is_failed(
    world: World, changes: dict[str, Any], words: str
) -> None:
    """Who claims less time, another place or other units claims a rate that nobody saw."""
    outcome = world.measured(world.changed(**changes))
    assert outcome.status is Status.FAILED
    assert words in (outcome.reason or "")


def test_samples_must_be_as_many_as_units(world: World) -> None:
    """Latencies of something else are no latencies."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(world.server)(request, orders):
            yield make_result(7, trial_id=request.trial_id) if isinstance(event, Result) else event

    outcome = world.measured(script)
    assert (outcome.status, outcome.reason) == (Status.FAILED, "the runner claims 200 units but has 7 latency samples")


def unexpected(world: World, name: str, laps: int) -> Script:
    """Return a script during whose first slice somebody else sends a command."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for number, event in enumerate(honest(world.server)(request, orders)):
            if number == laps:
                world.server.calls[name] += 1
            yield event

    return script


def test_one_slice_of_many_that_others_disturbed_is_not_counted(world: World) -> None:
    """The others are; the reason says how many were lost, and why."""
    outcome = world.measured(unexpected(world, "keys", 2), laps=10)
    assert outcome.status is Status.OK
    assert sum(one.mismatch is not None for one in outcome.slices) == 1
    assert (outcome.reason or "").startswith("1 of 10 slices are not counted: ")
    assert "KEYS 1" in (outcome.reason or "")


def test_a_trial_of_which_too_much_was_disturbed_is_failed(world: World) -> None:
    """One slice of two is more than a tenth; and who knows what else they wrote: the next state is a whole one."""
    bench = make_bench(FakeExecutor(unexpected(world, "flushall", 2)), world.target)
    outcome = measure_block(bench, make_block(TRIAL)).outcomes[0]
    assert outcome.status is Status.FAILED
    assert "FLUSHALL 1" in (outcome.reason or "")
    measure_block(bench, make_block(TRIAL))
    assert world.target.control.flushes == 2


def test_what_another_client_of_the_block_sends_while_it_waits_fails_nobody(world: World) -> None:
    """A waiting library's own PING falls into somebody's slice."""
    world.server.connected = 3
    script = unexpected(world, "ping", 2)
    bench = make_bench(FakeExecutor(script), world.target)
    trials = (TRIAL, make_trial(client=make_client("pinger", library="pinger")))
    assert measure_block(bench, make_block(*trials)).outcomes[0].status is Status.FAILED
    told = replace(bench, setup_commands={"pinger": frozenset({"ping"})})
    assert [outcome.status for outcome in measure_block(told, make_block(*trials)).outcomes] == [Status.OK] * 2


def test_connections_belong_to_the_trial_that_opened_them(world: World) -> None:
    """Those of clients that wait are not counted: here one of the first trial, two of the second."""
    opened = iter((1, 2))

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(world.server)(request, orders):
            if isinstance(event, Ready):
                world.server.connected += next(opened)
            yield event

    bench = make_bench(FakeExecutor(script), world.target)
    outcomes = measure_block(bench, make_block(TRIAL, OTHER)).outcomes
    assert [outcome.slices[0].evidence.connections_open for outcome in outcomes] == [1, 2]


def test_exit_code_3_is_unsupported_in_the_runners_words(world: World) -> None:
    """A runner that cannot express a scenario is no failure; its last line is the reason."""
    outcome = world.measured(playing(RunnerFailedError("ended with exit code 3", 3, ("noise", "lib has no pool"))))
    assert (outcome.status, outcome.reason) == (Status.UNSUPPORTED, "lib has no pool")


@pytest.mark.parametrize("code", [None, 0, 1, 2, 4, -9])
def test_any_other_end_is_failed_with_the_last_lines(world: World, code: int | None) -> None:
    """Message and standard error go into the record."""
    outcome = world.measured(playing(RunnerFailedError("the runner ended", code, ("a", "b"))))
    assert outcome == Outcome(Status.FAILED, "the runner ended", ("a", "b"))


def test_one_clients_failure_costs_the_others_nothing(world: World) -> None:
    """It is out from the slice in which it failed; the others have all their slices."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for number, event in enumerate(honest(world.server)(request, orders)):
            if request.trial_id == TRIAL.id and number == 3:
                raise RunnerFailedError("crash", 1)
            yield event

    bench = make_bench(FakeExecutor(script), world.target, laps=4)
    failed, other = measure_block(bench, make_block(TRIAL, OTHER)).outcomes
    assert (failed.status, failed.reason, len(failed.slices)) == (Status.FAILED, "crash", 1)
    assert (other.status, len(other.slices)) == (Status.OK, 4)


def test_a_runner_that_failed_may_have_left_anything_behind(world: World) -> None:
    """The next state is a whole one."""
    bench = make_bench(FakeExecutor(playing(RunnerFailedError("crash", 1))), world.target)
    measure_block(bench, make_block(TRIAL))
    measure_block(bench, make_block(TRIAL))
    assert world.target.control.flushes == 2


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([make_ready(TRIAL.id)], "sent `ready` where `loaded` was due"),
        ([make_loaded(TRIAL.id), make_loaded(TRIAL.id)], "sent `loaded` where `ready` was due"),
        ([make_loaded(TRIAL.id), make_ready(TRIAL.id), make_ready(TRIAL.id)], "sent `ready` where `slice` was due"),
        ([make_loaded("another")], f"answers for trial `another`, not for `{TRIAL.id}`"),
        ([make_loaded(TRIAL.id), make_ready("another")], "answers for trial `another`"),
        (
            [make_loaded(TRIAL.id), make_ready(TRIAL.id), make_slice(trial_id=TRIAL.id, number=7)],
            "answered slice 7, where slice 1 was ordered",
        ),
        ([make_loaded(TRIAL.id)], "the script is at its end"),
        ([make_loaded(TRIAL.id), make_ready(TRIAL.id)], "the script is at its end"),
    ],
)
def test_a_runner_that_does_not_keep_to_the_order_is_failed(world: World, steps: list[Step], words: str) -> None:
    """Events are matched by name, trial and number, never by position."""
    outcome = world.measured(playing(*steps))
    assert outcome.status is Status.FAILED
    assert words in (outcome.reason or "")


def test_an_answer_that_nobody_asked_for_is_found_at_the_next_event(world: World) -> None:
    """A second answer to a slice is not the answer to the next."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(world.server)(request, orders):
            yield event
            if isinstance(event, Slice):
                yield event

    assert "answered slice 1, where slice 2 was ordered" in (world.measured(script).reason or "")


def test_a_runner_that_is_not_there_is_missing(world: World) -> None:
    """Nothing was started, so nothing has failed; the others go on."""

    class Missing(FakeExecutor):
        def start(self, client: Client, request: TrialRequest) -> FakeProcess:
            if request.trial_id == TRIAL.id:
                message = "not installed"
                raise RunnerMissingError(message)
            return super().start(client, request)

    bench = make_bench(Missing(honest(world.server)), world.target)
    missing, other = measure_block(bench, make_block(TRIAL, OTHER)).outcomes
    assert (missing.status, missing.reason) == (Status.MISSING, "not installed")
    assert other.status is Status.OK


def cut_short(world: World, reading: int, fault: Callable[[], BaseException]) -> tuple[Measured, "Watched"]:
    """Measure two clients for four laps; at this reading of the server's counters, something happens."""
    readings = 0

    def info() -> str:
        nonlocal readings
        readings += 1
        if readings == reading:
            raise fault()
        return FakeServer.info(world.server)

    world.server.info = info  # type: ignore[method-assign]
    executor = Watched(honest(world.server))
    return measure_block(make_bench(executor, world.target, laps=4), make_block(TRIAL, OTHER)), executor


CONNECTING = 2 * 2
"""Readings of the counters while two clients connect: before and after each."""
LAP = 2 * 2
"""As many in a lap: before and after each slice."""


def test_a_lost_target_leaves_the_slices_that_ended(world: World) -> None:
    """Whoever has some keeps them, with the reason; every process is ended."""
    measured, executor = cut_short(world, CONNECTING + 2 * LAP + 1, lambda: TargetLostError("gone"))
    assert measured.target_lost
    assert [(outcome.status, outcome.reason, len(outcome.slices)) for outcome in measured.outcomes] == [
        (Status.OK, "gone", 2)
    ] * 2
    assert executor.alive == []


def test_an_interrupt_leaves_the_slices_that_ended(world: World) -> None:
    """The session decides what to do then; every process is ended."""
    measured, executor = cut_short(world, CONNECTING + 2 * LAP + 1, KeyboardInterrupt)
    assert measured.interrupted
    assert [len(outcome.slices) for outcome in measured.outcomes] == [2, 2]
    assert executor.alive == []


def test_an_interrupt_within_a_slice_costs_that_slice(world: World) -> None:
    """The runner's answer comes before its result; nobody takes one for the other."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for number, event in enumerate(honest(world.server)(request, orders)):
            if number == 4:
                yield InterruptingError("the user has had enough")
            yield event

    executor = Watched(script)
    measured = measure_block(make_bench(executor, world.target, laps=4), make_block(TRIAL))
    assert measured.interrupted
    assert (measured.outcomes[0].status, len(measured.outcomes[0].slices)) == (Status.OK, 2)
    assert len(measured.outcomes[0].results) == 1


class InterruptingError(RunnerFailedError):
    """Stands in a script for Ctrl-C while the runner is waited for."""


def test_a_target_that_was_lost_before_anything_ran_leaves_nothing(world: World) -> None:
    """Its reason is the target's."""
    measured, executor = cut_short(world, CONNECTING + 1, lambda: TargetLostError("gone"))
    assert [(outcome.status, outcome.reason) for outcome in measured.outcomes] == [(Status.FAILED, "gone")] * 2
    assert executor.alive == []


class Watched(FakeExecutor):
    """An executor that notes what its processes go through."""

    def __init__(self, script: Script, broken: int | None = None) -> None:
        super().__init__(script)
        self.log: list[str] = []
        self.limits: dict[str, float] = {}
        self.alive: list[object] = []
        self.processes: list[FakeProcess] = []
        self._broken = broken

    def start(self, client: Client, request: TrialRequest) -> FakeProcess:
        """Start a process that is watched, or none where this one is broken."""
        del client
        if request.workload.part == self._broken:
            message = "cannot start"
            raise RunnerFailedError(message)
        self.requests.append(request)
        process = WatchedProcess(request, self._script, self)
        self.alive.append(process)
        self.processes.append(process)
        return process


class WatchedProcess(FakeProcess):
    """Notes what it goes through."""

    def __init__(self, request: TrialRequest, script: Script, executor: Watched) -> None:
        super().__init__(request, script)
        self._executor = executor
        self._name = f"{request.trial_id}{f' {request.workload.part}' if request.workload.parts > 1 else ''}"

    def next_event(self, limit_s: float) -> Any:  # noqa: ANN401 - an event
        """Note the event."""
        try:
            event = super().next_event(limit_s)
        except InterruptingError as error:
            raise KeyboardInterrupt from error
        self._executor.limits[event.event] = limit_s
        self._executor.log.append(f"{event.event} {self._name}")
        return event

    def order(self, order: RunnerOrder) -> None:
        """Note it."""
        super().order(order)
        self._executor.log.append(f"order {order.order} {self._name}")

    def wait(self, limit_s: float) -> None:
        """Note it."""
        super().wait(limit_s)
        self._executor.log.append(f"wait {self._name}")

    def kill(self) -> None:
        """Note it."""
        if self in self._executor.alive:
            self._executor.alive.remove(self)


def test_clients_load_together_and_connect_one_after_the_other(world: World) -> None:
    """All are loaded before the first connects, so that the server sees one of them at a time."""
    executor = Watched(honest(world.server))
    measure_block(make_bench(executor, world.target, laps=1), make_block(TRIAL, OTHER))
    assert executor.log[:6] == [
        *(f"loaded {trial.id}" for trial in (TRIAL, OTHER)),
        *(line for trial in (TRIAL, OTHER) for line in (f"order connect {trial.id}", f"ready {trial.id}")),
    ]


def test_several_processes_work_at_the_same_time(world: World) -> None:
    """Both have the order for a slice before either answers, and both have their result before any is waited for."""
    executor = Watched(honest(world.server))
    outcome = measure_block(make_bench(executor, world.target, laps=1), make_block(TWO)).outcomes[0]
    assert outcome.status is Status.OK
    of_slices = [line.partition(f" {TWO.id}")[0] for line in executor.log if "slice" in line]
    assert of_slices == ["order slice", "order slice", "slice", "slice"]
    assert executor.log.index(f"result {TWO.id} 1") < executor.log.index(f"wait {TWO.id} 0")


def test_a_runner_has_its_time_and_a_little_more(world: World) -> None:
    """Starting may take a minute, a slice half a minute beside its own length."""
    executor = Watched(honest(world.server))
    measure_block(make_bench(executor, world.target, slice_s=2.0, lead_in_s=1.0), make_block(TRIAL))
    assert executor.limits["loaded"] == executor.limits["ready"] == START_LIMIT_S
    assert executor.limits["slice"] == 3.0 + SLICE_GRACE_S


def test_several_processes_are_merged(world: World) -> None:
    """The server's counters are held against all of them together."""
    bench = make_bench(FakeExecutor(honest(world.server)), world.target)
    outcome = measure_block(bench, make_block(TWO)).outcomes[0]
    assert len(outcome.ready) == len(outcome.results) == len(outcome.slices[0].answers) == 2
    assert sum(calls.calls for calls in outcome.slices[0].evidence.workload_calls.values()) == 200


def test_several_processes_have_their_own_parts(world: World) -> None:
    """Each walks the same file from its own place."""
    executor = FakeExecutor(honest(world.server))
    measure_block(make_bench(executor, world.target), make_block(TWO))
    assert [(r.workload.part, r.workload.parts) for r in executor.requests] == [(0, 2), (1, 2)]
    assert len({request.trial_id for request in executor.requests}) == 1


def test_a_process_that_does_not_start_ends_those_that_did(world: World) -> None:
    """None is left at work beside the next block."""
    executor = Watched(honest(world.server), broken=1)
    outcome = measure_block(make_bench(executor, world.target), make_block(TWO)).outcomes[0]
    assert (outcome.status, outcome.reason) == (Status.FAILED, "cannot start")
    assert executor.alive == []


def test_the_runner_is_told_what_the_plan_says(world: World) -> None:
    """Client, scenario, shape, workload and endpoint are the trial's and the bench's."""
    client = make_client("lib@1[x=2]", version="1", options={"x": 2})
    trial = make_trial(Scenario.BATCHING, Shape(depth=10, processes=3), 2, client)
    bench = replace(make_bench(FakeExecutor(honest(world.server)), world.target), workload_path="/a.workload")
    request = bench.request(trial, part=1)
    assert request.trial_id == trial.id
    assert (request.client.library, request.client.version, request.client.options) == ("lib", "1", {"x": 2})
    assert (request.scenario, request.shape) == (Scenario.BATCHING, trial.cell.shape)
    assert (request.workload.path, request.workload.part, request.workload.parts) == ("/a.workload", 1, 3)
    assert request.target == world.target.endpoint
