"""What a runner claims in a block, held against its order and the server's evidence."""

from collections.abc import Iterator
from typing import Any

import pytest

from respmark.contract.events import Result, Segment, SliceOrder, Work
from respmark.contract.trial import TrialRequest
from respmark.execute.protocol import RunnerOrder
from respmark.results.records import Status
from respmark.run.block import measure_block
from tests.builders.plan import make_block, make_client, make_trial
from tests.builders.records import make_loaded, make_ready, make_result, make_slice
from tests.fake_executor import FakeExecutor, Script, Step
from tests.fakes import FakeServer, honest, honest_slice, make_context
from tests.run.conftest import TRIAL, World


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
        ({"measured": Work(operations=2**70, units=2**70)}, "claims a number of more than 64 bits"),
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


@pytest.mark.parametrize("laps", [10, 5])
def test_one_slice_of_many_that_others_disturbed_is_not_counted(world: World, laps: int) -> None:
    """The others are; the reason says how many were lost, and why."""
    outcome = world.measured(unexpected(world, "keys", 2), laps=laps)
    assert outcome.status is Status.OK
    assert sum(one.mismatch is not None for one in outcome.slices) == 1
    assert (outcome.reason or "").startswith(f"1 of {laps} slices are not counted: ")
    assert "KEYS 1" in (outcome.reason or "")


def test_a_trial_of_which_too_much_was_disturbed_is_failed(world: World) -> None:
    """One slice of two is more than a fifth; and who knows what else they wrote: the next state is a whole one."""
    context = make_context(FakeExecutor(unexpected(world, "flushall", 2)), world.target)
    outcome = measure_block(context, make_block(TRIAL)).outcomes[0]
    assert outcome.status is Status.FAILED
    assert "FLUSHALL 1" in (outcome.reason or "")
    measure_block(context, make_block(TRIAL))
    assert world.target.control.flushes == 2


def test_what_another_client_of_the_block_sends_while_it_waits_fails_nobody(world: World) -> None:
    """A waiting library's own PING falls into somebody's slice; its connection explains it, whatever specs say."""
    context = make_context(FakeExecutor(unexpected(world, "ping", 2)), world.target)
    assert measure_block(context, make_block(TRIAL)).outcomes[0].status is Status.FAILED
    world.server.connected = 3
    trials = (TRIAL, make_trial(client=make_client("pinger", library="pinger")))
    assert [outcome.status for outcome in measure_block(context, make_block(*trials)).outcomes] == [Status.OK] * 2
