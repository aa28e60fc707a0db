"""Runner processes that live for a round."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError
from respmark.plan.trial import BlockRound, Trial
from respmark.run.resting import NOWHERE, Resting
from respmark.runners.protocol import TrialRequest
from respmark.specs.client import Client
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import make_cell, make_client
from tests.fakes import FakeExecutor, FakeRunner
from tests.run.conftest import at

MIB = 2**20
JAVA = RunnerSpec(name="java", language="Java", command=("java",), advice="", memory_mib=400)
DRIVER = RunnerSpec(name="drivers", language="C", command=("bench",), advice="", fresh=True)


def client(name: str, runner: str = "java") -> Client:
    return make_client(name, library=name, runner=runner)


def block(name: str, *clients: Client, processes: int = 1) -> BlockRound:
    cells = (make_cell(one, shape=Shape(processes=processes), block_name=name) for one in clients)
    return BlockRound(name, 1, tuple(Trial(cell, 1) for cell in cells))


A, B, C = map(client, "abc")


class World:
    """Processes that rest, and what they go through."""

    def __init__(self, memory_mib: int | None = None) -> None:
        self.executor = FakeExecutor()
        self.notes: list[str] = []
        memory_bytes = None if memory_mib is None else memory_mib * MIB
        runners = {"java": JAVA, "drivers": DRIVER}
        self.resting = Resting(runners, Path("resting.columns"), memory_bytes, note=self.notes.append)

    def round(self, *blocks: BlockRound) -> None:
        self.resting.begin_round(blocks)
        for one in blocks:
            self.measure(one)
        self.resting.end_round()

    def measure(self, one: BlockRound) -> None:
        self.resting.begin_block(one)
        working = [
            (trial.cell.client, self.start(trial, part))
            for trial in one.trials
            for part in range(trial.cell.shape.processes)
        ]
        for who, process in working:
            self.resting.finish(who, process)

    def start(self, trial: Trial, part: int) -> FakeRunner:
        cell = trial.cell
        found = self.resting.take(cell.client)
        if found is None:
            return self.executor.start(
                TrialRequest(cell.client, cell.scenario, cell.shape, Path("tiny"), NOWHERE, part)
            )
        assert isinstance(found, FakeRunner)
        return found

    @property
    def started(self) -> list[str]:
        return [one.request.client.name for one in self.executor.runners]


def test_a_process_lives_from_its_first_block_of_the_round_to_its_last() -> None:
    """What no later block needs ends at once; the next round starts fresh ones."""
    world = World()
    world.resting.begin_round((block("one", A, B), block("two", A), block("three", A)))
    world.measure(block("one", A, B))
    assert [one.request.client.name for one in world.executor.alive] == ["a"]
    world.measure(block("two", A))
    assert world.started == ["a", "b"]
    world.measure(block("three", A))
    assert world.executor.alive == []
    world.round(block("one", A, B))
    assert world.started == ["a", "b", "a", "b"]


def test_between_blocks_it_holds_a_trial_that_never_connects() -> None:
    """So it has closed its connections, and a command of its own cannot come into others' slices."""
    world = World()
    world.resting.begin_round((block("one", A), block("two", A)))
    world.measure(block("one", A))
    (process,) = world.resting.processes
    assert isinstance(process, FakeRunner)
    assert (process.request.scenario, process.request.target.port) == (Scenario.SYNC, 1)
    assert world.executor.log == ["start a 0", "give a 0", "load a 0"]


def test_each_process_of_several_is_used_again() -> None:
    world = World()
    world.round(block("one", A, processes=2), block("two", A), block("three", A, processes=3))
    assert world.started == ["a"] * 3
    assert world.executor.alive == []


def test_a_runner_that_says_so_gets_fresh_processes_for_each_block() -> None:
    world = World()
    driver = client("bench", "drivers")
    world.round(block("one", driver), block("two", driver))
    assert world.started == ["bench"] * 2


def test_a_client_may_be_given_fresh_processes_by_name() -> None:
    world = World()
    world.resting.fresh = ("b",)
    world.round(block("one", A, B), block("two", A, B))
    assert world.started == ["a", "b", "b"]


def test_without_memory_for_all_those_are_ended_that_are_needed_last() -> None:
    """They are started anew for their next block."""
    world = World(memory_mib=800)
    world.round(block("one", A), block("two", B), block("three", C), block("four", B), block("five", A))
    assert world.started == ["a", "b", "c", "a"]
    assert world.executor.log.index("end a 0") < world.executor.log.index("start c 0")


def test_one_that_does_not_end_is_reported_and_killed() -> None:
    """Its trials are over and recorded: only its end was wrong."""
    world = World()
    world.resting.begin_round((block("one", A), block("two", A)))
    world.measure(block("one", A))
    world.executor.before = at("end", RunnerFailedError("it did not end"), client="a")
    world.resting.end_round()
    assert world.notes == ["a: it did not end"]
    assert world.executor.alive == []


def test_one_that_cannot_rest_fails_its_trial() -> None:
    """What it had is not closed: nothing can be measured beside it."""
    world = World()
    world.executor.before = at("load", RunnerFailedError("hangs"), client="a")
    world.resting.begin_round((block("one", A), block("two", A)))
    with pytest.raises(RunnerFailedError, match="hangs"):
        world.measure(block("one", A))
    assert not world.resting.processes
