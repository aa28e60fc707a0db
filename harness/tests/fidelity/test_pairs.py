"""Rounds of a row: the suite's runner and a bare loop, or two runners, take turns."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from respmark.contract.events import SliceOrder
from respmark.contract.trial import TrialRequest
from respmark.errors import FidelityError, RunnerFailedError, RunnerMissingError
from respmark.execute.protocol import RunnerOrder
from respmark.fidelity.pairs import measure_round
from respmark.fidelity.rows import Lap
from respmark.fidelity.sides import RunnerSide, Speed
from respmark.plan.trial import Trial
from respmark.run.context import RunContext
from respmark.run.slices import kept_slice
from respmark.specs.client import Client
from tests.builders.plan import make_trial
from tests.builders.records import make_loaded, make_ready, make_result
from tests.fake_executor import FakeExecutor, FakeProcess, Step
from tests.fakes import FakeServer, FakeTarget, honest, honest_slice, make_context


@dataclass
class Other:
    """A side that notes what it is told, at 200 operations a second and 4 ms of CPU each."""

    log: list[str] = field(default_factory=list)
    orders: list[SliceOrder] = field(default_factory=list)
    fault: FidelityError | None = None

    def start(self) -> None:
        """Note it."""
        self.log.append("start")

    def settle(self) -> None:
        """Note it."""
        self.log.append("settle")

    def work(self, order: SliceOrder) -> Speed:
        """Note it, or fail."""
        self.log.append("work")
        self.orders.append(order)
        if self.fault:
            raise self.fault
        return Speed(200.0, 4_000_000.0)

    def cpu_ns(self) -> None:
        """Nobody counts."""

    def end(self) -> None:
        """Note it."""
        self.log.append("end")

    def kill(self) -> None:
        """Note it."""
        self.log.append("kill")


def bench_of(target: FakeTarget, **settings: float) -> RunContext:
    """Return a context whose runner does 100 operations in slices of 1 s with 0.5 s of CPU."""
    return make_context(FakeExecutor(honest(target.control.server)), target, **settings)


def suite_of(context: RunContext, trial: Trial | None = None) -> RunnerSide:
    """Return the suite's side."""
    return RunnerSide(context, trial or make_trial())


def test_a_round_has_a_lap_of_both_sides_figures() -> None:
    """The suite: 100 a second, 5 ms of CPU a command."""
    suite, other = suite_of(bench_of(FakeTarget(), laps=3)), Other()
    laps = measure_round(suite, other, 2)
    figures = {"suite_rps": 100.0, "other_rps": 200.0, "suite_cpu_ns": 5e6, "other_cpu_ns": 4e6}
    assert laps == [Lap(round=2, lap=lap, **figures) for lap in (1, 2, 3)]
    assert other.log == ["start", "work", "work", "work", "end", "kill"]


def test_both_sides_settle_where_there_is_a_warm_up() -> None:
    """A slice of each, not kept, before the first lap: the suite's side has waited for the other to start."""
    suite, other = suite_of(bench_of(FakeTarget(), laps=2, warmup_limit_s=3.0)), Other()
    assert len(measure_round(suite, other, 1)) == 2
    assert other.log == ["start", "settle", "work", "work", "end", "kill"]
    assert suite.participant.warm_up is not None
    assert suite.participant.slices_ordered == suite.participant.warm_up.slices + 3


def test_figures_are_of_the_measured_part() -> None:
    """What the lead-in did is neither in the rate nor in the CPU."""
    suite = suite_of(bench_of(FakeTarget(), laps=1, lead_in_s=0.5))
    (lap,) = measure_round(suite, Other(), 1)
    assert lap.suite_rps == pytest.approx(75.0)
    assert lap.suite_cpu_ns == pytest.approx(0.5e9 / 75)


def test_both_sides_get_the_same_order() -> None:
    """Duration, lead-in and first command of a lap are the same for both, and other first commands in the next."""
    suite, other = suite_of(bench_of(FakeTarget(), laps=2, lead_in_s=0.25)), Other()
    measure_round(suite, other, 2)
    assert other.orders == [kept_slice(suite.participant, 3), kept_slice(suite.participant, 4)]
    assert [turn.order for turn in suite.participant.turns] == other.orders
    assert other.orders[0].first_command != other.orders[1].first_command


def test_who_begins_a_lap_is_random_and_the_same_again() -> None:
    """Neither is always second; the seed decides."""

    def orders() -> list[str]:
        target, log = FakeTarget(), list[str]()

        def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
            for step in honest(target.control.server)(request, orders):
                log.append("suite")
                yield step

        other = Other(log)
        measure_round(RunnerSide(make_context(FakeExecutor(script), target, laps=40), make_trial()), other, 1)
        # The suite notes loaded, ready, its slices and its result.
        return ["suite" if one == "suite" else "other" for one in log if one == "suite" or one.startswith("work")][2:-1]

    first = [turns[0] for turns in zip(*[iter(orders())] * 2, strict=True)]
    assert Counter(first).keys() == {"suite", "other"}
    assert min(Counter(first).values()) >= 10
    assert orders() == orders()


def test_a_round_begins_from_the_same_state() -> None:
    """What others wrote is written over before anybody starts."""
    target = FakeTarget()
    context = bench_of(target)
    context.state.restore(target)
    key = next(iter(target.control.server.data))
    context.state.dirty()
    target.control.server.data[key] = b"spoilt"
    measure_round(suite_of(context), Other(), 1)
    assert target.control.server.data[key] != b"spoilt"


def test_a_side_that_fails_ends_the_round_and_both_are_ended() -> None:
    """Nobody is left running."""
    other = Other(fault=FidelityError("the bare loop broke"))
    with pytest.raises(FidelityError, match="the bare loop broke"):
        measure_round(suite_of(bench_of(FakeTarget())), other, 1)
    assert other.log == ["start", "work", "kill"]


def failing(server: FakeServer, at: str) -> FakeExecutor:
    """Return an executor whose runner fails there."""

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        if at == "load":
            yield RunnerFailedError("broke while loading")
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        order = orders[-1]
        assert isinstance(order, SliceOrder)
        if at == "slice":
            yield RunnerFailedError("broke in the slice")
        answer = honest_slice(server, request, order)
        if at == "claim":
            server.calls["get"] += 1
        yield answer
        if at == "result":
            yield RunnerFailedError("broke after the last slice")
        yield make_result(7 if at == "samples" else answer.measured.units, trial_id=request.trial_id)

    return FakeExecutor(script)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("load", "broke while loading"),
        ("slice", "broke in the slice"),
        ("result", "broke after the last slice"),
        ("claim", "lib--sync--round=1: claimed 100 calls, the server saw 101"),
        ("samples", "lib--sync--round=1: the runner claims 100 units but has 7 latency samples"),
    ],
)
def test_a_runner_of_the_suite_is_held_to_what_every_run_asks(at: str, words: str) -> None:
    """A figure that would not be published is no side of a ratio."""
    target = FakeTarget()
    context = make_context(failing(target.control.server, at), target, laps=1)
    other = Other()
    with pytest.raises(FidelityError, match=words):
        measure_round(suite_of(context), other, 1)
    assert other.log[-1] == "kill"


def test_a_suite_without_the_client_says_so() -> None:
    """Also where it went missing under way."""
    target = FakeTarget()
    context = bench_of(target)

    class Gone(FakeExecutor):
        """An executor that does not find its program."""

        def start(self, client: Client, request: TrialRequest) -> FakeProcess:  # noqa: ARG002 - as its base class
            """Find nothing."""
            raise RunnerMissingError("node: No such file or directory; install Node.js")

    with pytest.raises(FidelityError, match=r"install Node\.js"):
        measure_round(suite_of(replace(context, executor=Gone(lambda _r, _o: []))), Other(), 1)
