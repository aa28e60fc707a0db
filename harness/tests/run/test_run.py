"""A run from its first block to its last."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from respmark import kinds
from respmark.contract.trial import Scenario, Shape
from respmark.errors import (
    ClientLostServerError,
    ExitCode,
    InvalidRequestError,
    ResultsLostError,
    RunnerFailedError,
    ServerError,
    ServerLostError,
    UnsupportedError,
)
from respmark.plan.plan import Block, Plan, PlannedCell, Trial
from respmark.results.records import Status, TrialRecord
from respmark.results.store import RunFolder
from respmark.run.observer import Observer, Progress
from respmark.run.outcome import Outcome
from respmark.run.run import Run
from respmark.run.state import RunState
from respmark.run.testbed import OpenOptions
from tests.builders.plan import SHIPPED, make_cell, make_client, make_settings
from tests.builders.records import make_manifest
from tests.fake_node import FakeControl, FakeNode
from tests.fakes import Before, FakeExecutor, FakeRunner, FakeServer, make_testbed

OTHER = make_client("other", library="other", runner="node")
SYNC, BATCHING = make_cell(), make_cell(scenario=Scenario.BATCHING, shape=Shape(depth=2))


@dataclass
class Watching(Observer):
    """An observer that remembers."""

    log: list[str] = field(default_factory=list)
    progressed: list[str] = field(default_factory=list)
    left_s: list[float] = field(default_factory=list)
    round: int = 0

    def block_started(self, block: Block, progress: Progress) -> None:
        self.round = block.round
        self.log.append(f"{progress.number} of {progress.of} {block.name} {block.round}")
        self.left_s.append(progress.left_s)

    def progress(self, text: str) -> None:
        self.progressed.append(text)

    def trial_ended(self, record: TrialRecord) -> None:
        self.log.append(f"{record.status} {record.trial_id}")

    def note(self, text: str) -> None:
        self.log.append(text)


class Listing(RunFolder):
    """Keeps records in a list, on a disk that may be full."""

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))
        self.records: list[TrialRecord] = []
        self.room: int | None = None
        """Records for which there is room; None: for all."""

    def append(self, record: TrialRecord) -> None:
        if len(self.records) == self.room:
            raise ResultsLostError("no room for a trial")
        self.records.append(record)


class World:
    """A run whose every part a test can look into."""

    def __init__(self, *cells: PlannedCell, **settings: Any) -> None:  # noqa: ANN401 - settings' fields
        self.plan = Plan(make_settings(**settings), SHIPPED.suite("smoke"), cells or (SYNC,))
        self.node = FakeNode()
        self.executor = FakeExecutor(self.node)
        self.watching = Watching()
        self.folder = Listing()
        self.tries = 0
        """How often the server was connected to again."""
        self.returns_at = 1.0
        """At which of them it is there."""

    def run(self, before: Before | None = None, state: RunState | None = None, **options: Any) -> Run:  # noqa: ANN401 - its fields
        """Return the run; its runners are honest but for what is done before one of their steps."""
        self.executor.before = before or self.executor.before
        bed = make_testbed(self.executor, Returning(self), plan=self.plan.settings)
        made = OpenOptions(self.plan, SHIPPED, Path("nowhere"), [], **options)
        run = Run(made, bed, self.folder, make_manifest(), self.watching, kinds, state or RunState(), 0.0)
        run.begin()
        return run

    def measured(self, before: Before | None = None, state: RunState | None = None) -> list[Status]:
        """Measure all rounds; return what became of each trial."""
        for _ in self.run(before, state).rounds():
            pass
        return [record.status for record in self.records]

    @property
    def records(self) -> list[TrialRecord]:
        return self.folder.records


class Returning(FakeServer):
    """A server that comes back empty, at the try that the test says."""

    def __init__(self, world: World) -> None:
        super().__init__(FakeControl(world.node))
        self.world = world

    def reconnect(self) -> None:
        self.world.tries += 1
        if self.world.tries < self.world.returns_at:
            message = "still gone"
            raise ServerError(message)
        self.world.node.up = True
        self.world.node.data.clear()
        self.control = FakeControl(self.world.node)


def breaking(number: int, error: BaseException, server: FakeNode | None = None) -> Before:
    """Fail in the first slice of trial `number`; a server that is named is gone with it."""
    errors = [error]

    def before(runner: FakeRunner, step: str) -> None:
        if step == "worked" and len(runner.executor.runners) == number and errors:
            if server is not None:
                server.up = False
            raise errors.pop()

    return before


def test_rounds_run_in_their_order_and_trials_are_recorded_as_they_end() -> None:
    """Each record is there before its end is told, and nothing is kept back."""
    world = World(rounds=3)
    assert list(world.run().rounds()) == [1, 2, 3]
    assert [(one.round, one.order, one.status) for one in world.records] == [(n, n, Status.OK) for n in (1, 2, 3)]
    assert world.watching.log == [
        line for n in (1, 2, 3) for line in (f"{n} of 3 sync {n}", f"ok {world.records[n - 1].trial_id}")
    ]
    assert world.watching.progressed[:2] == ["lap 1 of 2", "lap 2 of 2"]


def test_what_was_measured_before_must_be_there_in_the_same_versions() -> None:
    """Rounds of another version would not be comparable."""
    world = World(rounds=2)
    world.measured()
    state = RunState([world.records[0].model_copy(update={"versions": {"lib": "1.0.0", "runtime": "4"}})])
    world.records.clear()
    assert world.measured(state=state) == [Status.FAILED]
    world.executor = FakeExecutor(world.node, missing={"lib": "gone"})
    with pytest.raises(InvalidRequestError, match="lib was measured before and is missing now: gone"):
        world.measured(state=state)


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (RunnerFailedError("crash", ("x", "y")), Status.FAILED, "crash"),
        (UnsupportedError("no pool"), Status.UNSUPPORTED, "no pool"),
        # A lost connection to a server that answers again at once costs one trial and nothing else.
        (ServerLostError("no answer in 10 s"), Status.FAILED, "no answer in 10 s"),
    ],
)
def test_a_trial_that_ends_early_does_not_stop_the_run(error: Exception, status: Status, reason: str) -> None:
    """It is recorded with its reason, and the others are measured."""
    world = World(rounds=3)
    assert world.measured(breaking(2, error)) == [Status.OK, status, Status.OK]
    assert (world.records[1].reason, world.tries) == (reason, 0)


def test_a_missing_client_is_recorded_once_a_cell_and_never_started() -> None:
    """It keeps its row, whatever else it lacks; the user is told once, and the others are measured."""
    cannot = make_cell(OTHER, Scenario.SYNC, Shape(processes=2), "it cannot")
    world = World(make_cell(OTHER), SYNC, cannot, rounds=2)
    world.executor = FakeExecutor(world.node, missing={"node": "node: not found; install Node.js"})
    world.measured()
    assert [(one.client.name, one.status, one.reason) for one in world.records] == [
        *[("other", Status.MISSING, "node: not found; install Node.js")] * 2,
        *[("lib", Status.OK, None)] * 2,
    ]
    assert world.watching.log[0] == "other is missing: node: not found; install Node.js"
    assert all("other" not in line for line in world.watching.log[1:])


@pytest.mark.parametrize(
    ("named", "control", "code"),
    [
        ((), None, ExitCode.OK),
        (("lib",), None, ExitCode.OK),
        (("lib", "other"), None, ExitCode.SOME_FAILED),
        (("lib", "other"), "lib", ExitCode.OK),
    ],
)
def test_a_client_that_was_named_and_is_missing_is_a_failure(
    named: tuple[str, ...], control: str | None, code: ExitCode
) -> None:
    """One of a suite, or a release of a series, is not: nobody asked for it alone."""
    world = World(make_cell(OTHER), SYNC, rounds=1)
    world.plan = replace(world.plan, named=named, control=control)
    world.executor = FakeExecutor(world.node, missing={"node": "node: not found"})
    run = world.run()
    assert list(run.rounds()) == [1]
    assert run.exit_code is code


@pytest.mark.parametrize(
    "error", [ServerLostError("the server at h:1 cannot be reached"), ClientLostServerError("h:1 refuses connections")]
)
def test_a_lost_server_is_opened_again_and_the_run_goes_on(error: Exception) -> None:
    """Whoever noticed it; the trial is failed with the reason, and the next ones use the new server's state."""
    world = World(rounds=3)
    assert world.measured(breaking(2, error, world.node)) == [Status.OK, Status.FAILED, Status.OK]
    assert (world.records[1].reason, world.tries) == (str(error), 1)
    assert any("trying to connect again" in line for line in world.watching.log)
    assert len(world.node.data) == 8


def test_every_trial_has_processes_of_its_own() -> None:
    """One start for each trial and process, in every round; none is given a second trial, and all have ended."""
    world = World(SYNC, make_cell(scenario=Scenario.NEW_CONNECTION, shape=Shape(processes=2)), rounds=2)
    assert world.measured() == [Status.OK] * 4
    steps = [line.split()[0] for line in world.executor.log]
    assert steps.count("start") == steps.count("connect") == steps.count("end") == 2 * (1 + 2)
    assert "give" not in steps
    assert world.executor.alive == []


def cut_world(number: int | None = None, error: BaseException | None = None) -> World:
    """Return a run in which a client loads another version in its second round, and another cannot do everything.

    It fails at the step of this number.
    """
    world = World(SYNC, make_cell(OTHER), make_cell(OTHER, Scenario.POOL, unsupported="no pool"), rounds=2)
    steps = count()

    def before(runner: FakeRunner, step: str) -> None:
        if step == "start" and world.watching.round > 1 and runner.request.client.name == "other":
            runner.versions = {**runner.versions, "other": "2"}
        if next(steps) == number and error is not None:
            raise error

    world.executor.before = before
    return world


def last_of(records: Iterable[TrialRecord]) -> dict[str, dict[str, Any]]:
    """Return what became of each trial in the end."""
    return {record.trial_id: without_time(record) for record in records}


def test_a_run_that_is_interrupted_at_any_step_and_resumed_leaves_the_same_records() -> None:
    """Whatever it had learned until then, it learns from its records; no process is left."""
    whole = cut_world()
    whole.measured()
    assert sorted(record.status for record in whole.records) == sorted(
        [*[Status.OK] * 3, Status.FAILED, Status.UNSUPPORTED]
    )
    for number in range(len(whole.executor.log)):
        cut = cut_world(number, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            cut.measured()
        assert cut.executor.alive == []
        cut.measured(state=RunState(cut.records))
        assert last_of(cut.records) == last_of(whole.records), number


def test_a_run_whose_disk_is_full_at_any_record_and_resumed_leaves_the_same_records() -> None:
    """What was written before is kept; no process is left."""
    whole = cut_world()
    whole.measured()
    for room in range(len(whole.records)):
        cut = cut_world()
        cut.folder.room = room
        with pytest.raises(ResultsLostError):
            cut.measured()
        assert (len(cut.records), cut.executor.alive) == (room, [])
        cut.folder.room = None
        cut.measured(state=RunState(cut.records))
        assert last_of(cut.records) == last_of(whole.records), room


def test_a_process_that_dies_at_any_step_costs_its_own_trial_and_no_other() -> None:
    """The others have the records that they would have had; no process is left."""
    whole = World(SYNC, make_cell(OTHER))
    whole.measured()
    for number in range(len(whole.executor.log)):
        world, steps = World(SYNC, make_cell(OTHER)), count()

        def dies(_runner: FakeRunner, _step: str, at: int = number, steps: Iterator[int] = steps) -> None:
            if next(steps) == at:
                raise RunnerFailedError("it died")

        world.measured(dies)
        assert world.executor.alive == []
        failed = {record.trial_id for record in world.records if record.status is not Status.OK}
        assert len(failed) == 1, number
        assert {one.trial_id for one in world.records} == {one.trial_id for one in whole.records}


REAL = {"begun_ns", "evidence_ns", "other_cpu_ns", "stolen_cpu_ns"}
"""What a slice has by the clock and the kernel of this machine."""


def without_time(record: TrialRecord) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude={"started_at": True, "slices": {"__all__": REAL}})


class Clock:
    """A machine on which a round of each block takes as long as a test says; by the same clock, runs end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **block_s: float) -> None:
        self.now_s = 0.0
        self.measured: list[tuple[str, int]] = []
        time = SimpleNamespace(monotonic=lambda: self.now_s)
        monkeypatch.setattr("respmark.run.run.time", time)
        monkeypatch.setattr("respmark.run.observer.time", time)

        def measure(_bed: object, block: Block, *_: object) -> Iterator[tuple[Trial, Outcome]]:
            self.now_s += block_s[block.name.partition("-")[0]]
            self.measured.append((block.name.partition("-")[0], block.round))
            return ((trial, Outcome(Status.OK)) for trial in block.trials)

        monkeypatch.setattr("respmark.run.run.measure_block", measure)

    @property
    def rounds(self) -> list[int]:
        return sorted(number for _, number in self.measured)


@pytest.mark.parametrize(
    ("limit_s", "fills", "rounds"),
    [
        (None, False, [1, 1, 2, 2, 3, 3]),
        (1e6, False, [1, 1, 2, 2, 3, 3]),
        (151.0, False, [1, 1, 2, 2, 3, 3]),
        (149.0, False, [1, 1, 2, 2, 3]),
        (0.1, False, [1, 1, 2, 2]),
        (251.0, True, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
    ],
)
def test_a_run_keeps_its_limit(
    monkeypatch: pytest.MonkeyPatch, limit_s: float | None, *, fills: bool, rounds: Sequence[int]
) -> None:
    """With fewer rounds, but two, or with as many as there is time for: here, each takes 50 s."""
    clock = Clock(monkeypatch, sync=25.0, batching=25.0)
    run = World(SYNC, BATCHING, rounds=3).run(limit_s=limit_s, fills_limit=fills)
    for _ in run.rounds():
        pass
    assert clock.rounds == list(rounds)


def test_a_block_that_is_too_long_for_the_time_that_is_left_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, sync=10.0, batching=40.0)
    run = World(SYNC, BATCHING, rounds=3).run(limit_s=115.0)
    assert list(run.rounds()) == [1, 2, 3]
    assert clock.measured.count(("sync", 3)) == 1
    assert (clock.rounds, run.completed) == ([1, 1, 2, 2, 3], 2)


def test_further_rounds_are_those_that_somebody_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all blocks or of some, until there is no time."""
    clock = Clock(monkeypatch, sync=10.0, batching=40.0)
    run = World(SYNC, BATCHING, rounds=2).run(limit_s=145.0)
    assert list(run.rounds()) == [1, 2]
    assert run.measure_round({SYNC.block})
    assert clock.measured[4:] == [("sync", 3)]
    assert not run.measure_round({BATCHING.block})
    assert run.measure_round()
    assert clock.measured[5:] == [("sync", 4)]


def test_how_long_a_run_still_takes_is_what_its_blocks_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second round on; before, it is what the plan says, and then corrected by what was seen."""
    Clock(monkeypatch, sync=10.0, batching=40.0)
    world = World(SYNC, BATCHING, rounds=3)
    for _ in world.run().rounds():
        pass
    assert world.watching.left_s[2] == 100.0
    assert world.watching.left_s[4] == 50.0
    assert [line.split()[:3] for line in world.watching.log if " of " in line] == [
        [str(number), "of", "6"] for number in range(1, 7)
    ]


def test_the_least_rounds_are_told_where_they_need_more_time_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rounds are measured in any case: with a minute for them, the second one is not "about 0 s"."""
    Clock(monkeypatch, sync=25.0, batching=25.0)
    world = World(SYNC, BATCHING, rounds=3)
    for _ in world.run(limit_s=60.0, fills_limit=True).rounds():
        pass
    assert world.watching.left_s[2:] == [50.0, 25.0]
