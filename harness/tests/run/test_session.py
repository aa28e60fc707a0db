"""A plan from its first trial to its last."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import (
    ClientLostServerError,
    InvalidRequestError,
    RunnerFailedError,
    TargetError,
    TargetLostError,
    UnsupportedError,
)
from respmark.plan.trial import BlockRound, Cell, Plan, Trial
from respmark.results.records import Status, TrialRecord
from respmark.run.schedule import Schedule
from respmark.run.session import Done, Observer, Session
from tests.builders.plan import SHIPPED, make_block, make_cell, make_client, make_settings, make_trial
from tests.fake_server import FakeControl, FakeServer
from tests.fakes import Before, FakeExecutor, FakeRunner, FakeTarget, make_context

OTHER = make_client("other", library="other", runner="node")
FIRST, SECOND, THIRD = (make_trial(number=number) for number in (1, 2, 3))


@dataclass
class Watching(Observer):
    """An observer that remembers."""

    log: list[str] = field(default_factory=list)
    progressed: list[str] = field(default_factory=list)

    def block_started(self, block: BlockRound, number: int) -> None:
        self.log.append(f"{number} {block.name} {block.round}")

    def progress(self, text: str) -> None:
        self.progressed.append(text)

    def trial_ended(self, record: TrialRecord) -> None:
        self.log.append(f"{record.status} {record.trial_id}")

    def round_ended(self, number: int, of: int) -> None:
        self.log.append(f"round {number} of {of} ended")

    def note(self, text: str) -> None:
        self.log.append(text)


class World:
    """A session whose every part a test can look into; its recorder is a list."""

    def __init__(self, *trials: Trial, cells: Iterable[Cell] = ()) -> None:
        self.trials = trials
        self.cells = tuple({cell.id: cell for cell in [*(trial.cell for trial in trials), *cells]}.values())
        self.server = FakeServer()
        self.executor = FakeExecutor(self.server)
        self.watching = Watching()
        self.records: list[TrialRecord] = []
        self.tries = 0
        """How often the target was connected to again."""
        self.returns_at = 1.0
        """At which of them it is there."""

    def session(self, before: Before | None = None, settings: dict[str, Any] | None = None, **changes: Any) -> Session:  # noqa: ANN401 - a session's fields
        """Return the session; its runners are honest but for what is done before one of their steps."""
        self.executor.before = before or self.executor.before
        plan = Plan(
            make_settings(**settings or {}), SHIPPED.suite("smoke"), self.cells, tuple(map(make_block, self.trials))
        )
        fields: dict[str, Any] = {
            "plan": plan,
            "context": make_context(self.executor, Returning(self), **settings or {}),
            "runners": SHIPPED.runners,
            "observer": self.watching,
            "recorder": self.records,
            "schedule": Schedule(plan, SHIPPED.runners),
        }
        return Session(**fields | changes)

    @property
    def outcome(self) -> dict[str, Status]:
        return {record.trial_id: record.status for record in self.records}


class Returning(FakeTarget):
    """A target that comes back empty, at the try that the test says."""

    def __init__(self, world: World) -> None:
        super().__init__(FakeControl(world.server))
        self.world = world

    def reconnect(self) -> None:
        self.world.tries += 1
        if self.world.tries < self.world.returns_at:
            message = "still gone"
            raise TargetError(message)
        self.world.server.up = True
        self.world.server.data.clear()
        self.control = FakeControl(self.world.server)


def breaking(number: int, error: BaseException, server: FakeServer | None = None) -> Before:
    """Fail in the first slice of trial `number`; a server that is named is gone with it."""
    errors = [error]

    def before(runner: FakeRunner, step: str) -> None:
        if step == "worked" and len(runner.executor.runners) == number and errors:
            if server is not None:
                server.up = False
            raise errors.pop()

    return before


def test_trials_run_in_the_plans_order_and_are_recorded_as_they_end() -> None:
    """Each record is there before its end is told, and nothing is kept back."""
    world = World(SECOND, FIRST, THIRD)
    assert world.session().run() == [Status.OK] * 3
    trials = (SECOND, FIRST, THIRD)
    assert [(one.trial_id, one.order) for one in world.records] == [
        (one.id, n) for n, one in enumerate(trials, start=1)
    ]
    assert [line for line in world.watching.log if not line.startswith("round ")] == [
        line for n, one in enumerate(trials, start=1) for line in (f"{n} sync {one.round}", f"ok {one.id}")
    ]
    assert world.watching.progressed[:2] == ["lap 1 of 2", "lap 2 of 2"]


def test_what_was_measured_before_must_be_there_in_the_same_versions() -> None:
    """Rounds of another version would not be comparable."""
    world = World(FIRST, SECOND)
    world.session().run()
    done = Done([world.records[0].model_copy(update={"versions": {"lib": "1.0.0", "runtime": "4"}})])
    assert world.session(done=done).run() == [Status.OK, Status.FAILED]
    world.executor = FakeExecutor(world.server, missing={"lib": "gone"})
    with pytest.raises(InvalidRequestError, match="lib was measured before and is missing now: gone"):
        world.session(done=done).run()


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (RunnerFailedError("crash", ("x", "y")), Status.FAILED, "crash"),
        (UnsupportedError("no pool"), Status.UNSUPPORTED, "no pool"),
        # A lost connection to a server that answers again at once costs one trial and nothing else.
        (TargetLostError("no answer in 10 s"), Status.FAILED, "no answer in 10 s"),
    ],
)
def test_a_trial_that_ends_early_does_not_stop_the_run(error: Exception, status: Status, reason: str) -> None:
    """It is recorded with its reason, and the others are measured."""
    world = World(FIRST, SECOND, THIRD)
    assert world.session(breaking(2, error)).run() == [Status.OK, status, Status.OK]
    assert (world.records[1].reason, world.tries) == (reason, 0)


def test_a_missing_client_is_recorded_once_a_cell_and_never_started() -> None:
    """It keeps its row, whatever else it lacks; the user is told once, and the others are measured."""
    mine, theirs = make_trial(client=OTHER), make_trial(client=OTHER, number=2)
    world = World(mine, FIRST, theirs, cells=[make_cell(OTHER, FIRST.cell.scenario, Shape(processes=2), "it cannot")])
    world.executor = FakeExecutor(world.server, missing={"node": "node: not found; install Node.js"})
    assert world.session().run() == [Status.OK]
    assert [(one.client.name, one.status, one.reason) for one in world.records] == [
        *[("other", Status.MISSING, "node: not found; install Node.js")] * 2,
        ("lib", Status.OK, None),
    ]
    assert world.watching.log[0] == "other is missing: node: not found; install Node.js"
    assert all("other" not in line for line in world.watching.log[1:])


@pytest.mark.parametrize(
    "error", [TargetLostError("the target at h:1 cannot be reached"), ClientLostServerError("h:1 refuses connections")]
)
def test_a_lost_target_is_opened_again_and_the_run_goes_on(error: Exception) -> None:
    """Whoever noticed it; the trial is failed with the reason, and the next ones use the new target's state."""
    world = World(FIRST, SECOND, THIRD)
    session = world.session(breaking(2, error, world.server))
    assert session.run() == [Status.OK, Status.FAILED, Status.OK]
    assert (world.records[1].reason, world.tries) == (str(error), 1)
    assert any("trying to connect again" in line for line in world.watching.log)
    assert len(world.server.data) == 8


def test_every_trial_has_processes_of_its_own() -> None:
    """One start for each trial and process, in every round; none is given a second trial, and all have ended."""
    two = [make_trial(Scenario.NEW_CONNECTION, Shape(processes=2), number=number) for number in (1, 2)]
    world = World(FIRST, two[0], SECOND, two[1])
    assert world.session().run() == [Status.OK] * 4
    steps = [line.split()[0] for line in world.executor.log]
    assert steps.count("start") == steps.count("connect") == steps.count("end") == 2 * (1 + 2)
    assert "give" not in steps
    assert world.executor.alive == []
