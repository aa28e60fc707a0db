"""A plan from its first trial to its last, with runners that play scripts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from respmark.contract.description import Description
from respmark.contract.events import Slice
from respmark.contract.trial import Shape, TrialRequest
from respmark.errors import RunFolderError, RunnerFailedError, RunnerMissingError, TargetError, TargetLostError
from respmark.execute.protocol import RunnerOrder
from respmark.plan.trial import BlockRound, Cell, Plan, Trial
from respmark.results.records import Status, TrialRecord
from respmark.run import session as module
from respmark.run.done import Done
from respmark.run.pace import Pace
from respmark.run.session import Session
from respmark.specs.client import Client
from tests.builders.plan import SHIPPED, make_block, make_client, make_settings, make_trial
from tests.builders.records import make_loaded, make_ready
from tests.fake_executor import FakeExecutor, FakeProcess, Script, Step
from tests.fakes import FakeControl, FakeServer, FakeTarget, honest, make_context
from tests.run.silent import Silent

OTHER = make_client("other", library="other", runner="node")


@dataclass
class Watching(Silent):
    """An observer that remembers."""

    log: list[str] = field(default_factory=list)
    progressed: list[str] = field(default_factory=list)

    def block_started(self, block: BlockRound, number: int) -> None:
        """Remember."""
        self.log.append(f"{number} {block.name} {block.round}")

    def progress(self, text: str) -> None:
        """Remember."""
        self.progressed.append(text)

    def trial_ended(self, record: TrialRecord) -> None:
        """Remember."""
        self.log.append(f"{record.status} {record.trial_id}")

    def round_ended(self, number: int, of: int) -> None:
        """Remember."""
        self.log.append(f"round {number} of {of} ended")

    def note(self, text: str) -> None:
        """Remember."""
        self.log.append(text)


class Records(list[TrialRecord]):
    """A recorder that keeps records in memory."""

    def record(self, record: TrialRecord) -> None:
        """Keep it."""
        self.append(record)

    @property
    def outcome(self) -> dict[str, Status]:
        """Return what became of each trial."""
        return {record.trial_id: record.status for record in self}


class World:
    """A session whose every part a test can look into."""

    def __init__(self, *trials: Trial, cells: Iterable[Cell] = ()) -> None:
        self.trials = trials
        self.cells = tuple({cell.id: cell for cell in [*(trial.cell for trial in trials), *cells]}.values())
        self.server = FakeServer()
        self.watching = Watching()
        self.records = Records()
        self.tries = 0
        """How often the target was connected to again."""
        self.returns_at = 1.0
        """At which of them it is there."""

    def session(self, script: Script | None = None, **changes: Any) -> Session:  # noqa: ANN401 - a session's fields
        """Return the session; its runners are honest where there is no script."""
        executor = changes.pop("executor", None) or FakeExecutor(
            script or honest(self.server), changes.pop("missing", None)
        )
        rounds = tuple(make_block(trial) for trial in self.trials)
        fields: dict[str, Any] = {
            "plan": Plan(make_settings(), SHIPPED.suite("smoke"), self.cells, rounds),
            "context": make_context(executor, Returning(self)),
            "runners": SHIPPED.runners,
            "observer": self.watching,
            "recorder": self.records,
        }
        return Session(**fields | changes)


class Returning(FakeTarget):
    """A target that comes back empty, at the try that the test says."""

    def __init__(self, world: World) -> None:
        super().__init__(FakeControl(world.server))
        self.world = world

    def reconnect(self) -> None:
        """Connect anew, where it is there again."""
        self.world.tries += 1
        if self.world.tries < self.world.returns_at:
            message = "still gone"
            raise TargetError(message)
        self.world.server.up = True
        self.world.server.data.clear()
        self.control = FakeControl(self.world.server)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Take the waiting out of recovery: time passes as fast as it is slept."""
    slept: list[float] = []
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept)))
    return slept


FIRST, SECOND, THIRD = (make_trial(number=number) for number in (1, 2, 3))
TWO = make_trial(shape=Shape(processes=2))


def breaking(world: World, number: int, fault: Callable[[], BaseException]) -> Script:
    """Return a script that fails in the first slice of trial `number` and is honest in others."""
    seen = 0

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        nonlocal seen
        seen += 1
        if seen != number:
            yield from honest(world.server)(request, orders)
            return
        yield make_loaded(request.trial_id)
        yield make_ready(request.trial_id)
        raise fault()

    return script


def test_trials_run_in_the_plans_order_and_are_recorded_as_they_end() -> None:
    """Each record is there before its end is told, and nothing is kept back."""
    world = World(SECOND, FIRST, THIRD)
    statuses = world.session().run()
    assert statuses == [Status.OK] * 3
    assert [(record.trial_id, record.order) for record in world.records] == [
        (SECOND.id, 1),
        (FIRST.id, 2),
        (THIRD.id, 3),
    ]
    assert world.watching.log == [
        line
        for number, trial in enumerate((SECOND, FIRST, THIRD), start=1)
        for line in (f"{number} sync {trial.round}", f"ok {trial.id}")
    ]
    assert world.watching.progressed[:2] == ["lap 1 of 2", "lap 2 of 2"]


def test_the_end_of_a_round_is_told_between_blocks_where_more_are_to_come() -> None:
    """Once a round, when its last record is written; a resumed run tells of no round that it only passed over."""
    other = make_trial(shape=Shape(processes=2))
    world = World(FIRST, other, SECOND, THIRD)
    plan = Plan(make_settings(rounds=3), SHIPPED.suite("smoke"), world.cells, tuple(map(make_block, world.trials)))
    world.session(plan=plan).run()
    ended = [line for line in world.watching.log if line.startswith(("ok", "round"))]
    assert ended == [
        *(f"ok {FIRST.id}", f"ok {other.id}", "round 1 of 3 ended"),
        *(f"ok {SECOND.id}", "round 2 of 3 ended", f"ok {THIRD.id}"),
    ]
    world.watching.log.clear()
    done = Done({record.trial_id: record for record in world.records[:3]})
    world.session(plan=plan, done=done).run()
    assert [line for line in world.watching.log if line.startswith("round")] == []


def test_a_session_knows_how_much_it_has_measured() -> None:
    """Slices that count, without lead-ins; those of before, if it is resumed."""
    world = World(FIRST, SECOND)
    session = world.session(context=make_context(FakeExecutor(honest(world.server)), Returning(world), lead_in_s=0.25))
    session.run()
    assert session.measured_s == pytest.approx(4.0)
    resumed = world.session(done=Done({record.trial_id: record for record in world.records}))
    resumed.run()
    assert resumed.measured_s == pytest.approx(4.0)


def test_blocks_have_as_many_laps_as_the_pace_says() -> None:
    """And it learns what each block took."""
    world = World(FIRST, SECOND)
    plan = Plan(make_settings(laps=5), SHIPPED.suite("smoke"), world.cells, tuple(map(make_block, world.trials)))
    session = world.session(plan=plan)
    pace = session.pace = Pace(session.plan, SHIPPED.runners, end_s=0.0, clock=lambda: 0.0)
    session.run()
    assert [len(record.slices) for record in world.records] == [3, 3]  # the fewest: there is no time
    assert pace.affords(make_block(THIRD)) is False


def test_a_record_has_what_the_trial_was_and_what_came_of_it() -> None:
    """Client, language, shape, times, events and evidence are all in it."""
    world = World(TWO)
    world.session().run()
    (record,) = world.records
    assert (record.cell_id, record.round) == (TWO.cell.id, 1)
    assert (record.client, record.language, record.shape) == (TWO.cell.client, "Python", TWO.cell.shape)
    assert (record.workload, record.block) == ("tiny", "sync--processes=2")
    assert len(record.loaded) == len(record.ready) == len(record.results) == 2
    assert [one.lap for one in record.slices] == [1, 2]


def test_a_record_survives_the_next_trials_failure() -> None:
    """An interrupt in the second trial leaves the first one's record, and ends the run."""
    world = World(FIRST, SECOND, THIRD)
    with pytest.raises(KeyboardInterrupt):
        world.session(breaking(world, 2, KeyboardInterrupt)).run()
    assert world.records.outcome == {FIRST.id: Status.OK}


def test_a_failed_trial_does_not_stop_the_run() -> None:
    """Its reason and last lines are recorded, and the others are measured."""
    world = World(FIRST, SECOND, THIRD)
    statuses = world.session(breaking(world, 2, lambda: RunnerFailedError("crash", 1, ("x", "y")))).run()
    assert statuses == [Status.OK, Status.FAILED, Status.OK]
    assert (world.records[1].reason, world.records[1].stderr) == ("crash", ["x", "y"])
    assert world.tries == 0


def test_a_runner_that_cannot_express_it_does_not_stop_the_run() -> None:
    """Exit code 3 is recorded as unsupported."""
    world = World(FIRST, SECOND)
    statuses = world.session(breaking(world, 1, lambda: RunnerFailedError("x", 3, ("no pool",)))).run()
    assert statuses == [Status.UNSUPPORTED, Status.OK]
    assert world.records[0].reason == "no pool"


def test_a_missing_runner_is_recorded_once_a_cell_and_never_started() -> None:
    """Its clients keep their rows, the user is told once, and the others are measured."""
    mine, theirs = make_trial(client=OTHER), make_trial(client=OTHER, number=2)
    world = World(mine, FIRST, theirs)
    session = world.session(missing={"node": "node: not found; install Node.js"})
    assert session.run() == [Status.OK]
    assert [(r.client.name, r.status, r.reason) for r in world.records] == [
        ("other", Status.MISSING, "node: not found; install Node.js"),
        ("lib", Status.OK, None),
    ]
    assert world.watching.log[0] == "other is missing: node: not found; install Node.js"
    assert all("other" not in line for line in world.watching.log[1:])


class Describing(FakeExecutor):
    """An executor whose runner is there and whose library is not."""

    def describe(self, client: Client) -> Description:
        """Describe a runner without the library."""
        if client.library == "other":
            raise RunnerMissingError("No module named 'other'; run `make setup`")
        return super().describe(client)


def test_a_library_that_its_runner_misses_is_recorded_as_missing() -> None:
    """A runner that is there may lack one of its libraries."""
    world = World(make_trial(client=OTHER), FIRST)
    statuses = world.session(executor=Describing(honest(world.server))).run()
    assert statuses == [Status.OK]
    assert [(r.client.name, r.status, r.reason) for r in world.records] == [
        ("other", Status.MISSING, "No module named 'other'; run `make setup`"),
        ("lib", Status.OK, None),
    ]


def test_what_is_unsupported_keeps_its_row() -> None:
    """It is recorded before the first trial, once a cell."""
    cell = Cell(OTHER, FIRST.cell.scenario, Shape(), "it has no such thing")
    world = World(FIRST, cells=[cell])
    world.session().run()
    assert (world.records[0].status, world.records[0].reason) == (Status.UNSUPPORTED, "it has no such thing")
    assert (world.records[0].round, world.records[0].order) == (1, 1)
    assert world.records[1].status is Status.OK


def test_what_is_missing_is_not_called_unsupported() -> None:
    """Who has not installed a library is told to, for every cell of it."""
    cell = Cell(OTHER, FIRST.cell.scenario, Shape(), "it has no such thing")
    world = World(cells=[cell])
    assert world.session(missing={"node": "gone"}).run() == []
    assert world.records[0].status is Status.MISSING


class Uninstalled(FakeExecutor):
    """An executor whose runner is gone when the first trial starts."""

    def start(self, client: Client, request: TrialRequest) -> FakeProcess:
        """Start none for the first trial."""
        if request.trial_id == FIRST.id:
            message = "gone"
            raise RunnerMissingError(message)
        return super().start(client, request)


def test_a_runner_that_goes_missing_under_way_does_not_stop_the_run() -> None:
    """What was uninstalled during the run is recorded as missing."""
    world = World(FIRST, SECOND)
    assert world.session(executor=Uninstalled(honest(world.server))).run() == [Status.MISSING, Status.OK]


def dying(world: World) -> Exception:
    """Take the server away."""
    world.server.up = False
    return TargetLostError("the target at h:1 cannot be reached")


def test_a_target_that_only_stumbled_is_used_on() -> None:
    """A lost connection to a server that answers again at once costs one trial and nothing else."""
    world = World(FIRST, SECOND)
    session = world.session(breaking(world, 1, lambda: TargetLostError("no answer in 10 s")))
    assert session.run() == [Status.FAILED, Status.OK]
    assert world.tries == 0


def test_a_lost_target_is_opened_again_and_the_run_goes_on() -> None:
    """The trial is failed with the reason, the state is made anew, and the next trials use the new target."""
    world = World(FIRST, SECOND, THIRD)
    session = world.session(breaking(world, 2, lambda: dying(world)))
    assert session.run() == [Status.OK, Status.FAILED, Status.OK]
    assert world.records[1].reason == "the target at h:1 cannot be reached"
    assert world.tries == 1
    assert any("trying to reach it again" in line for line in world.watching.log)
    assert len(world.server.data) == 8


def test_a_runner_that_loses_the_target_is_looked_into() -> None:
    """A runner's exit code 4 alone does not tell whether the server is gone: it is asked."""
    world = World(FIRST, SECOND)

    def fault() -> Exception:
        world.server.up = False
        return RunnerFailedError("ended with exit code 4", 4)

    assert world.session(breaking(world, 1, fault)).run() == [Status.FAILED, Status.OK]
    assert world.tries == 1


def test_a_target_that_comes_back_later_is_waited_for(patient: list[float]) -> None:
    """A server that restarts is tried again until it answers."""
    world = World(FIRST, SECOND)
    world.returns_at = 4
    session = world.session(breaking(world, 1, lambda: dying(world)))
    assert session.run() == [Status.FAILED, Status.OK]
    assert len(patient) == 3


@pytest.mark.usefixtures("patient")
def test_a_target_that_does_not_come_back_ends_the_run() -> None:
    """What has ended is recorded, the lost trial among it."""
    world = World(FIRST, SECOND, THIRD)
    world.returns_at = inf
    with pytest.raises(TargetError, match="still gone"):
        world.session(breaking(world, 2, lambda: dying(world))).run()
    assert world.records.outcome == {FIRST.id: Status.OK, SECOND.id: Status.FAILED}


def test_a_server_that_was_restarted_in_a_slice_fails_the_trial_and_the_run_goes_on() -> None:
    """Counters that begin anew cannot be held against a claim."""
    world = World(FIRST, SECOND, THIRD)

    def script(request: TrialRequest, orders: list[RunnerOrder]) -> Iterator[Step]:
        for event in honest(world.server)(request, orders):
            if request.trial_id == SECOND.id and isinstance(event, Slice):
                world.server.restart()
            yield event

    assert world.session(script).run() == [Status.OK, Status.FAILED, Status.OK]


def test_a_target_that_refuses_ends_the_run() -> None:
    """What is refused once is refused to every trial: the user is told instead."""
    world = World(FIRST, SECOND)
    session = world.session()
    world.server.refusal = b"-MISCONF cannot persist\r\n"
    with pytest.raises(TargetError, match="MISCONF"):
        session.run()


def test_a_record_that_cannot_be_written_ends_the_run() -> None:
    """Measuring on without keeping anything would be a waste of time."""

    class Full(Records):
        def record(self, record: TrialRecord) -> None:
            message = f"cannot write {record.trial_id}"
            raise RunFolderError(message)

    world = World(FIRST, SECOND)
    with pytest.raises(RunFolderError, match="cannot write"):
        world.session(recorder=Full()).run()
    assert world.watching.log == ["1 sync 1"]
