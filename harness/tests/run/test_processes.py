"""Trials of several processes."""

from respmark.contract.trial import Shape
from respmark.results.records import Status
from respmark.run.block import measure_block
from tests.builders.plan import make_block, make_trial
from tests.fake_executor import FakeExecutor
from tests.fakes import honest, make_context
from tests.run.conftest import World
from tests.run.watched import Watched

TWO = make_trial(shape=Shape(processes=2))


def test_several_processes_work_at_the_same_time(world: World) -> None:
    """Both have the order for a slice before either answers, and both have their result before any is waited for."""
    executor = Watched(honest(world.server))
    outcome = measure_block(make_context(executor, world.target, laps=1), make_block(TWO)).outcomes[0]
    assert outcome.status is Status.OK
    of_slices = [line.partition(f" {TWO.id}")[0] for line in executor.log if "slice" in line]
    assert of_slices == ["order slice", "order slice", "slice", "slice"]
    assert executor.log.index(f"result {TWO.id} 1") < executor.log.index(f"wait {TWO.id} 0")


def test_several_processes_are_merged(world: World) -> None:
    """The server's counters are held against all of them together."""
    context = make_context(FakeExecutor(honest(world.server)), world.target)
    outcome = measure_block(context, make_block(TWO)).outcomes[0]
    assert len(outcome.ready) == len(outcome.results) == len(outcome.slices[0].answers) == 2
    assert sum(calls.calls for calls in outcome.slices[0].evidence.workload_calls.values()) == 200


def test_several_processes_have_their_own_parts(world: World) -> None:
    """Each walks the same file from its own place."""
    executor = FakeExecutor(honest(world.server))
    measure_block(make_context(executor, world.target), make_block(TWO))
    assert [(r.workload.part, r.workload.parts) for r in executor.requests] == [(0, 2), (1, 2)]
    assert len({request.trial_id for request in executor.requests}) == 1


def test_a_process_that_does_not_start_ends_those_that_did(world: World) -> None:
    """None is left at work beside the next block."""
    executor = Watched(honest(world.server), broken=1)
    outcome = measure_block(make_context(executor, world.target), make_block(TWO)).outcomes[0]
    assert (outcome.status, outcome.reason) == (Status.FAILED, "cannot start")
    assert executor.alive == []
