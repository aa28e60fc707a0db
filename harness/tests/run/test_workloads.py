"""Blocks of a run that has several workloads."""

from dataclasses import replace

from respmark.plan.trial import Plan
from respmark.results.records import Status
from respmark.run.block import measure_block
from respmark.run.context import RunContext
from respmark.run.session import Session
from respmark.workload.generate import generate
from respmark.workload.spec import CommandSpec, KeyArgument, ValueArgument
from tests.builders.plan import SHIPPED, make_block, make_settings, make_trial, tiny_spec
from tests.fake_executor import FakeExecutor
from tests.fakes import FakeTarget, honest, make_context
from tests.run.conftest import TRIAL, World
from tests.run.silent import Silent
from tests.run.test_session import Records

SET = CommandSpec(name="SET", share=1.0, keys=6, arguments=(KeyArgument(), ValueArgument()))
SETS = tiny_spec(name="sets", key_prefix="sets:", commands=50, mix=(SET,))
THIRD = tiny_spec(name="third", key_prefix="third:")
OF_SETS = make_trial(workload="sets")


def make_run(target: FakeTarget) -> RunContext:
    """Return the context of a run with three workloads, whose runners do honest work in each."""
    executor = FakeExecutor(honest(target.control.server, sets=generate(SETS, 1)))
    return make_context(executor, target, other_workloads=(SETS, THIRD))


def prefixes(world: World) -> set[bytes]:
    """Return whose keys the server holds."""
    return {key.partition(b":")[0] for key in world.server.data}


def test_a_block_is_measured_with_its_own_workload(world: World) -> None:
    """The server holds its keys alone, and its slices are held against its commands."""
    context = make_run(world.target)
    for trial, calls, keys in ((OF_SETS, {"set"}, b"sets"), (TRIAL, {"get", "set"}, b"key")):
        (outcome,) = measure_block(context, make_block(trial)).outcomes
        assert (outcome.status, outcome.reason) == (Status.OK, None)
        assert set(outcome.slices[0].evidence.workload_calls) == calls
        assert prefixes(world) == {keys}


def test_a_block_can_compare_workloads(world: World) -> None:
    """Each trial is told its own file and held against its own commands; the server has both ones' keys."""
    context = make_run(world.target)
    outcomes = measure_block(context, make_block(TRIAL, OF_SETS)).outcomes
    assert [outcome.status for outcome in outcomes] == [Status.OK, Status.OK]
    assert [set(outcome.slices[0].evidence.workload_calls) for outcome in outcomes] == [{"get", "set"}, {"set"}]
    assert prefixes(world) == {b"key", b"sets"}
    assert [context.request(trial, 0).workload.path for trial in (TRIAL, OF_SETS)] == ["tiny.workload", "sets.workload"]


def test_a_record_names_the_workload_of_its_cell(world: World) -> None:
    """So does that of a cell that could not be measured."""
    cells = (TRIAL.cell, OF_SETS.cell, replace(make_trial(workload="third").cell, unsupported="it cannot"))
    settings, records = make_settings(other_workloads=(SETS, THIRD)), Records()
    plan = Plan(settings, SHIPPED.suite("smoke"), cells, (make_block(TRIAL, OF_SETS),))
    Session(plan, make_run(world.target), SHIPPED.runners, Silent(), records).run()
    assert {record.cell_id: record.workload for record in records} == {
        "lib--sync": "tiny",
        "lib--sync--workload=sets": "sets",
        "lib--sync--workload=third": "third",
    }
