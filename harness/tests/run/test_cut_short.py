"""Blocks that a lost target or an interrupt ends."""

from collections.abc import Callable, Iterator

from respmark.contract.trial import TrialRequest
from respmark.errors import TargetLostError
from respmark.execute.protocol import RunnerOrder
from respmark.results.records import Status
from respmark.run.block import Measured, measure_block
from tests.builders.plan import make_block
from tests.fake_executor import Step
from tests.fakes import FakeServer, honest, make_context
from tests.run.conftest import OTHER, TRIAL, World
from tests.run.watched import InterruptingError, Watched


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
    return measure_block(make_context(executor, world.target, laps=4), make_block(TRIAL, OTHER)), executor


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
    measured = measure_block(make_context(executor, world.target, laps=4), make_block(TRIAL))
    assert measured.interrupted
    assert (measured.outcomes[0].status, len(measured.outcomes[0].slices)) == (Status.OK, 2)
    assert len(measured.outcomes[0].results) == 1


def test_a_target_that_was_lost_before_anything_ran_leaves_nothing(world: World) -> None:
    """Its reason is the target's."""
    measured, executor = cut_short(world, CONNECTING + 1, lambda: TargetLostError("gone"))
    assert [(outcome.status, outcome.reason) for outcome in measured.outcomes] == [(Status.FAILED, "gone")] * 2
    assert executor.alive == []
