"""One trial, from the state of the database to the verdict, with a runner that plays a script."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from respmark.contract.events import Segment
from respmark.contract.trial import Scenario, Shape, TrialRequest
from respmark.errors import TargetLostError
from respmark.execute.fake import FakeExecutor, FakeProcess, Step
from respmark.execute.protocol import RunnerFailedError, RunnerMissingError
from respmark.records import Status
from respmark.run.measure import START_LIMIT_S, WINDOW_GRACE_S, Bench, Outcome, measure, request_for
from respmark.specs.client import Client
from tests.builders import make_client, make_progress, make_ready, make_result, make_trial, tiny_workload
from tests.fakes import FakeServer, FakeTarget, honest, honest_work, make_bench

TRIAL = make_trial()
TWO = make_trial(shape=Shape(processes=2))


class World:
    """A bench whose server and runner a test can look into."""

    def __init__(self) -> None:
        self.target = FakeTarget()
        self.server: FakeServer = self.target.control.server
        self.figures: list[float] = []

    def bench(self, *steps: Step) -> Bench:
        """Return a bench whose runner plays these steps, or is honest where there are none."""
        script = (lambda _request: steps) if steps else honest(self.server)
        return make_bench(FakeExecutor(script), self.target)

    def measured(self, *steps: Step) -> Outcome:
        """Measure a trial whose runner plays these steps."""
        return measure(self.bench(*steps), TRIAL, self.figures.append)


@pytest.fixture
def world() -> World:
    """Return a world of its own."""
    return World()


def test_an_honest_trial_is_ok(world: World) -> None:
    """Ready, result and evidence are all there, and there is no reason."""
    outcome = world.measured()
    assert outcome.status is Status.OK
    assert outcome.reason is None
    assert [ready.trial_id for ready in outcome.ready] == [TRIAL.id]
    assert [result.operations for result in outcome.results] == [100]
    assert outcome.evidence is not None
    assert outcome.evidence.workload_calls["get"].calls == outcome.evidence.expected.calls["get"]
    assert outcome.stderr == ()


def test_the_database_is_brought_to_its_state_first(world: World) -> None:
    """Before the runner starts, every key of the SET space is there."""

    def script(request: TrialRequest) -> Iterable[Step]:
        assert len(world.server.data) == 8
        return honest(world.server)(request)

    assert measure(make_bench(FakeExecutor(script), world.target), TRIAL, print).status is Status.OK


def test_what_happened_before_go_is_not_evidence(world: World) -> None:
    """Verification and warm-up are the runner's own affair."""

    def script(request: TrialRequest) -> Iterator[Step]:
        world.server.perform(tiny_workload(), Segment(first_command=3, operations=9))
        world.server.calls["hello"] += 2
        yield from honest(world.server)(request)

    outcome = measure(make_bench(FakeExecutor(script), world.target), TRIAL, print)
    assert outcome.status is Status.OK
    assert outcome.evidence is not None
    assert outcome.evidence.setup_calls == {}


def test_figures_are_told_as_they_come(world: World) -> None:
    """Progress of 50 operations in half a second is 100 a second; progress at the very beginning has no rate."""
    world.measured(
        make_ready(TRIAL.id),
        make_progress(TRIAL.id, operations=0, elapsed_ns=0),
        make_progress(TRIAL.id, operations=50, elapsed_ns=500_000_000),
        make_result(100, trial_id=TRIAL.id),
    )
    assert world.figures == [100.0]


def test_a_claim_that_is_not_true_is_failed_and_kept(world: World) -> None:
    """The reason has both numbers; results and evidence stay for who wants to look."""
    outcome = world.measured(make_ready(TRIAL.id), make_result(100, trial_id=TRIAL.id))
    assert outcome.status is Status.FAILED
    assert outcome.reason is not None
    assert "claimed 100 calls, the server saw 0" in outcome.reason
    assert outcome.results
    assert outcome.evidence is not None


def test_a_window_that_is_shorter_than_asked_for_is_failed(world: World) -> None:
    """Who claims to have done the work in less time than the window lasts claims a rate that nobody saw."""

    def script(request: TrialRequest) -> Iterator[Step]:
        yield make_ready(request.trial_id)
        result = honest_work(world.server, request)
        yield result.model_copy(update={"elapsed_ns": 400_000_000, "first_half": None})

    outcome = measure(make_bench(FakeExecutor(script), world.target, measure_s=1.0), TRIAL, print)
    assert outcome.status is Status.FAILED


def test_strangers_make_the_next_state_a_whole_one(world: World) -> None:
    """Who knows what else they wrote."""

    def script(request: TrialRequest) -> Iterator[Step]:
        yield make_ready(request.trial_id)
        result = honest_work(world.server, request)
        world.server.calls["flushall"] += 1
        yield result

    bench = make_bench(FakeExecutor(script), world.target)
    outcome = measure(bench, TRIAL, print)
    assert outcome.status is Status.FAILED
    assert "FLUSHALL 1" in (outcome.reason or "")
    measure(bench, TRIAL, print)
    assert world.target.control.flushes == 2


def test_exit_code_3_is_unsupported_in_the_runners_words(world: World) -> None:
    """A runner that cannot express a scenario is no failure; its last line is the reason."""
    outcome = world.measured(RunnerFailedError("ended with exit code 3", 3, ("noise", "lib has no pool")))
    assert outcome.status is Status.UNSUPPORTED
    assert outcome.reason == "lib has no pool"


def test_exit_code_3_without_a_word_is_unsupported_all_the_same(world: World) -> None:
    """What the harness saw stands in place of the runner's words."""
    outcome = world.measured(RunnerFailedError("ended with exit code 3", 3))
    assert (outcome.status, outcome.reason) == (Status.UNSUPPORTED, "ended with exit code 3")


@pytest.mark.parametrize("code", [None, 0, 1, 2, 4, -9])
def test_any_other_end_is_failed_with_the_last_lines(world: World, code: int | None) -> None:
    """Message and standard error go into the record."""
    outcome = world.measured(RunnerFailedError("the runner ended", code, ("a", "b")))
    assert outcome == Outcome(Status.FAILED, "the runner ended", ("a", "b"))


def test_a_runner_that_failed_may_have_left_anything_behind(world: World) -> None:
    """The next state is a whole one."""
    bench = world.bench(RunnerFailedError("crash", 1))
    measure(bench, TRIAL, print)
    measure(bench, TRIAL, print)
    assert world.target.control.flushes == 2


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([make_result(1, trial_id=TRIAL.id)], "sent `result` where `ready` was due"),
        ([make_progress(TRIAL.id)], "sent `progress` where `ready` was due"),
        ([make_ready(TRIAL.id), make_ready(TRIAL.id)], "sent `ready` a second time"),
        ([make_ready("another")], f"answers for trial `another`, not for `{TRIAL.id}`"),
        ([make_ready(TRIAL.id), make_progress("another")], "answers for trial `another`"),
        ([make_ready(TRIAL.id), make_result(1, trial_id="another")], "answers for trial `another`"),
        ([make_ready(TRIAL.id)], "the script is at its end"),
        ([make_ready(TRIAL.id), make_progress(TRIAL.id)], "the script is at its end"),
    ],
)
def test_a_runner_that_does_not_keep_to_the_order_is_failed(world: World, steps: list[Step], words: str) -> None:
    """Events are matched by name and trial, never by position."""
    outcome = world.measured(*steps)
    assert outcome.status is Status.FAILED
    assert words in (outcome.reason or "")


def test_a_missing_runner_is_the_sessions_to_tell(world: World) -> None:
    """Nothing was started, so nothing has failed."""

    class Missing(FakeExecutor):
        def start(self, client: Client, request: TrialRequest) -> FakeProcess:
            del client, request
            message = "not installed"
            raise RunnerMissingError(message)

    with pytest.raises(RunnerMissingError, match="not installed"):
        measure(make_bench(Missing(lambda _: []), world.target), TRIAL, print)


def test_a_lost_target_is_the_sessions_to_tell(world: World) -> None:
    """The control connection's own error comes through, and the runner is ended."""
    executor = Watched(honest(world.server))

    def lost(*_words: object) -> object:
        message = "gone"
        raise TargetLostError(message)

    bench = make_bench(executor, world.target)
    measure(bench, TRIAL, print)
    world.target.control.command = lambda *words: len(world.server.data) if words == ("DBSIZE",) else lost()  # type: ignore[method-assign]
    with pytest.raises(TargetLostError):
        measure(bench, TRIAL, print)
    assert executor.alive == []


class Watched(FakeExecutor):
    """An executor that notes what its processes go through."""

    def __init__(self, script: object, broken: int | None = None) -> None:
        assert callable(script)
        super().__init__(script)
        self.log: list[str] = []
        self.limits: dict[str, float] = {}
        self.alive: list[int] = []
        self._broken = broken

    def start(self, client: Client, request: TrialRequest) -> FakeProcess:
        """Start a process that is watched, or none where this one is broken."""
        part = request.workload.part
        if part == self._broken:
            message = "cannot start"
            raise RunnerFailedError(message)
        del client
        self.requests.append(request)
        self.alive.append(part)
        return WatchedProcess(self._script(request), self, part)


class WatchedProcess(FakeProcess):
    """Notes what it goes through."""

    def __init__(self, script: Iterable[Step], executor: Watched, part: int) -> None:
        super().__init__(script)
        self._executor, self._part = executor, part

    def next_event(self, limit_s: float) -> Step:  # type: ignore[override]
        """Note the event."""
        event = super().next_event(limit_s)
        self._executor.limits[event.event] = limit_s
        self._executor.log.append(f"{event.event} {self._part}")
        return event

    def go(self) -> None:
        """Note it."""
        self._executor.log.append(f"go {self._part}")

    def wait(self, limit_s: float) -> None:
        """Note it."""
        super().wait(limit_s)
        self._executor.log.append(f"wait {self._part}")

    def kill(self) -> None:
        """Note it."""
        if self._part in self._executor.alive:
            self._executor.alive.remove(self._part)


def test_several_processes_start_together(world: World) -> None:
    """Both are ready before any may go, and both have their result before any is waited for."""
    executor = Watched(honest(world.server))
    outcome = measure(make_bench(executor, world.target), TWO, print)
    assert outcome.status is Status.OK
    assert executor.log[:4] == ["ready 0", "ready 1", "go 0", "go 1"]
    assert executor.log[-2:] == ["wait 0", "wait 1"]
    assert executor.log.index("result 1") < executor.log.index("wait 0")


def test_a_runner_has_its_time_and_a_little_more(world: World) -> None:
    """Starting may take a minute beside the warm-up, ending half a minute beside the window: no more, no less."""
    executor = Watched(honest(world.server))
    measure(make_bench(executor, world.target, warmup_s=500.0, measure_s=1.0), TRIAL, print)
    assert executor.limits["ready"] == START_LIMIT_S + 500.0
    assert 1.0 < executor.limits["result"] <= 1.0 + WINDOW_GRACE_S


def test_several_processes_are_merged(world: World) -> None:
    """The server's counters are held against all of them together."""
    outcome = measure(make_bench(FakeExecutor(honest(world.server)), world.target), TWO, print)
    assert len(outcome.ready) == len(outcome.results) == 2
    assert outcome.evidence is not None
    assert sum(calls.calls for calls in outcome.evidence.workload_calls.values()) == 200


def test_several_processes_have_their_own_parts(world: World) -> None:
    """Each walks the same file from its own place."""
    executor = FakeExecutor(honest(world.server))
    measure(make_bench(executor, world.target), TWO, print)
    assert [(r.workload.part, r.workload.parts) for r in executor.requests] == [(0, 2), (1, 2)]
    assert len({request.trial_id for request in executor.requests}) == 1


def test_a_process_that_does_not_start_ends_those_that_did(world: World) -> None:
    """None is left at work beside the next trial."""
    executor = Watched(honest(world.server), broken=1)
    outcome = measure(make_bench(executor, world.target), TWO, print)
    assert (outcome.status, outcome.reason) == (Status.FAILED, "cannot start")
    assert executor.alive == []


def test_every_process_is_ended_whatever_happens(world: World) -> None:
    """An interrupt in the window leaves nothing running."""

    def script(request: TrialRequest) -> Iterator[Step]:
        yield make_ready(request.trial_id)
        raise KeyboardInterrupt

    executor = Watched(script)
    with pytest.raises(KeyboardInterrupt):
        measure(make_bench(executor, world.target), TWO, print)
    assert executor.alive == []


def test_the_runner_is_told_what_the_plan_says(world: World) -> None:
    """Client, scenario, shape, times, workload and endpoint are the trial's and the bench's."""
    client = make_client("lib@1[x=2]", version="1", options={"x": 2})
    trial = make_trial(Scenario.BATCHING, Shape(depth=10, processes=3), 2, client)
    bench = replace(world.bench(), workload_path="/a.workload")
    request = request_for(bench, trial, part=1)
    assert request.trial_id == trial.id
    assert (request.client.library, request.client.version, request.client.options) == ("lib", "1", {"x": 2})
    assert (request.scenario, request.shape) == (Scenario.BATCHING, trial.cell.shape)
    assert (request.warmup_s, request.measure_s) == (0.1, 1.0)

    assert (request.workload.path, request.workload.part, request.workload.parts) == ("/a.workload", 1, 3)
    assert request.target == world.target.endpoint


def test_a_runner_is_told_its_own_warm_up(world: World) -> None:
    """Where the suite has one for it."""
    bench = make_bench(FakeExecutor(honest(world.server)), world.target)
    settings = replace(bench.settings, warmup_by_runner_s={TRIAL.cell.client.runner: 3.0})
    assert request_for(replace(bench, settings=settings), TRIAL, 0).warmup_s == 3.0


def test_a_librarys_own_setup_commands_are_no_strangers(world: World) -> None:
    """What its spec names is counted apart."""

    def script(request: TrialRequest) -> Iterator[Step]:
        yield make_ready(request.trial_id)
        result = honest_work(world.server, request)
        world.server.calls["command|docs"] += 1
        yield result

    bench = make_bench(FakeExecutor(script), world.target)
    assert measure(bench, TRIAL, print).status is Status.FAILED
    told = replace(bench, setup_commands={"lib": frozenset({"command"})})
    assert measure(told, TRIAL, print).status is Status.OK
