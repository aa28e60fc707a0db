"""Runners that fail, break the contract, or are not there."""

from collections.abc import Iterator

import pytest

from respmark.contract.events import Slice
from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute.protocol import RunnerOrder
from respmark.results.records import Status
from respmark.run.block import measure_block
from respmark.run.participant import Outcome
from respmark.specs.client import Client
from tests.builders.plan import make_block
from tests.builders.records import make_loaded, make_ready, make_slice
from tests.fake_executor import FakeExecutor, FakeProcess, Script, Step
from tests.fakes import honest, make_context
from tests.run.conftest import OTHER, TRIAL, World


def playing(*steps: Step) -> Script:
    """Return a script of these steps, whatever is ordered."""
    return lambda _request, _orders: steps


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

    context = make_context(FakeExecutor(script), world.target, laps=4)
    failed, other = measure_block(context, make_block(TRIAL, OTHER)).outcomes
    assert (failed.status, failed.reason, len(failed.slices)) == (Status.FAILED, "crash", 1)
    assert (other.status, len(other.slices)) == (Status.OK, 4)


def test_a_runner_that_failed_may_have_left_anything_behind(world: World) -> None:
    """The next state is a whole one."""
    context = make_context(FakeExecutor(playing(RunnerFailedError("crash", 1))), world.target)
    measure_block(context, make_block(TRIAL))
    measure_block(context, make_block(TRIAL))
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

    context = make_context(Missing(honest(world.server)), world.target)
    missing, other = measure_block(context, make_block(TRIAL, OTHER)).outcomes
    assert (missing.status, missing.reason) == (Status.MISSING, "not installed")
    assert other.status is Status.OK
