"""What a runner says of a whole trial, against what others saw: the counters of the server agree, and it is untrue."""

from collections.abc import Callable, Iterator

import pytest

from respmark.contract.events import Ready, Result, Slice, SliceOrder
from respmark.contract.trial import Shape, TrialRequest
from respmark.execute.protocol import RunnerOrder
from respmark.results.records import Status
from respmark.run.block import measure_block
from respmark.run.participant import Outcome
from tests.builders.plan import make_block, make_client, make_trial
from tests.builders.records import SECOND_NS, make_latency, make_moment
from tests.fake_executor import FakeExecutor, Step
from tests.fakes import FakeTarget, honest, make_context

Lie = Callable[[Step], Step]


def measured(*lies: Lie, shape: Shape | None = None) -> list[Outcome]:
    """Return the outcomes of one trial a lie, told by a runner that is honest otherwise: rounds of one cell."""
    target, told = FakeTarget(), iter(lies)

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        lie = next(told)
        for event in honest(target.control.server)(request, orders):
            yield lie(event)

    context = make_context(FakeExecutor(script), target)
    blocks = [make_block(make_trial(shape=shape, number=number)) for number in range(1, len(lies) + 1)]
    return [measure_block(context, block).outcomes[0] for block in blocks]


def truth(event: Step) -> Step:
    """Change nothing."""
    return event


def microseconds(event: Step) -> Step:
    """Tell them for nanoseconds."""
    if not isinstance(event, Result):
        return event
    histogram = [(value_ns // 1000, count) for value_ns, count in event.latency.histogram]
    return event.model_copy(update={"latency": make_latency(histogram)})


def unverified(event: Step) -> Step:
    """Check no reply."""
    return event.model_copy(update={"verified_replies": 0}) if isinstance(event, Ready) else event


def another_clock(event: Step) -> Step:
    """Be an hour ahead."""
    if not isinstance(event, Slice):
        return event
    moments = {name: getattr(event, name) for name in ("started", "measured_from", "ended")}
    ahead = {name: one.model_copy(update={"at_ns": one.at_ns + 3600 * SECOND_NS}) for name, one in moments.items()}
    return event.model_copy(update=ahead)


def another_version(event: Step) -> Step:
    """Load something else."""
    return event.model_copy(update={"versions": {"lib": "2", "runtime": "4"}}) if isinstance(event, Result) else event


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (microseconds, "they are not those of the units that were claimed"),
        (unverified, "no reply was verified, where 100 were asked for"),
        (another_clock, "before `ended`: no clock of this machine says so"),
    ],
)
def test_what_is_untrue_is_failed(lie: Lie, words: str) -> None:
    """With what others saw; the slices stay for who wants to look."""
    (outcome,) = measured(lie)
    assert outcome.status is Status.FAILED
    assert words in (outcome.reason or "")
    assert len(outcome.slices) == 2


def test_a_round_with_another_version_is_failed() -> None:
    """The first one's counts."""
    first, second = measured(truth, another_version)
    assert (first.status, second.status) == (Status.OK, Status.FAILED)
    assert second.reason == "lib 2 was loaded, where another process or round loaded 1.2.3"


@pytest.mark.parametrize(
    ("label", "found", "reason"),
    [
        (3, 3, None),
        (2, 2, None),
        (3, 2, "RESP3 was asked for, 1 connection of the trial spoke RESP2"),
        (2, 3, "RESP2 was asked for, 1 connection of the trial spoke RESP3"),
    ],
)
def test_a_client_that_does_not_speak_its_label_is_failed(label: int, found: int, reason: str | None) -> None:
    """The server's list of connections says so; the record keeps what was asked for and what was found."""
    target = FakeTarget()
    server = target.control.server

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(server)(request, orders):
            if isinstance(event, Ready):
                server.clients = (*server.clients, f"id=9 cmd=get resp={found}")
                server.calls["hello"] += found == 3
            yield event

    trial = make_trial(client=make_client(options={"protocol": label}))
    outcome = measure_block(make_context(FakeExecutor(script), target), make_block(trial)).outcomes[0]
    assert (outcome.status, outcome.reason) == (Status.FAILED if reason else Status.OK, reason)
    assert outcome.handshake is not None
    assert (outcome.handshake.protocol, outcome.handshake.protocols) == (label, {found: 1})
    assert all("client|list" not in one.evidence.setup_calls for one in outcome.slices)


def test_a_runner_that_works_twice_as_long_as_it_says_is_failed() -> None:
    """Every slice has a second between order and answer of which nobody knows."""
    target = FakeTarget()
    server = target.control.server

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(server)(request, orders):
            if isinstance(event, Slice):
                server.now_ns += SECOND_NS
            yield event

    outcome = measure_block(make_context(FakeExecutor(script), target), make_block(make_trial())).outcomes[0]
    assert outcome.status is Status.FAILED
    assert "2 of 2 slices leave 1000.0 ms or more between order and answer unaccounted for" in (outcome.reason or "")


def test_processes_one_after_the_other_are_failed() -> None:
    """They did not have the machine to share."""
    target = FakeTarget()

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(target.control.server)(request, orders):
            order = orders[-1] if orders else None
            if isinstance(event, Slice) and isinstance(order, SliceOrder) and request.workload.part:
                later = {
                    name: make_moment(getattr(event, name).at_ns + order.duration_ns, getattr(event, name).cpu_ns)
                    for name in ("started", "measured_from", "ended")
                }
                target.control.server.now_ns += order.duration_ns
                yield event.model_copy(update=later)
            else:
                yield event

    trial = make_trial(shape=Shape(processes=2))
    outcome = measure_block(make_context(FakeExecutor(script), target), make_block(trial)).outcomes[0]
    assert outcome.status is Status.FAILED
    assert "its processes worked together for 0% of the slice only" in (outcome.reason or "")
