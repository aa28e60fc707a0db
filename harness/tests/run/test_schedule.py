"""Which blocks a run measures, and when it is over; a clock that only tests move."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from respmark.plan.estimate import estimate_s, writing_s
from respmark.plan.loops import lap_estimate_s, preparation_estimate_s
from respmark.plan.plan import Block, Plan
from respmark.results.manifest import Until
from respmark.run.schedule import (
    Asked,
    AskedSchedule,
    PreciseSchedule,
    Schedule,
    Spent,
    TimedSchedule,
    more_rounds,
)
from tests.builders.plan import planned
from tests.fakes import RUNNERS

CLIENTS = ("redis-py", "phpredis")


def plan_of(rounds: int = 2, laps: int = 10, **settings: Any) -> Plan:  # noqa: ANN401 - settings' fields
    """Return a plan of two blocks."""
    plan = planned("quick", clients=CLIENTS, scenarios=("sync", "batching"), rounds=rounds, laps=laps)
    return replace(plan, settings=replace(plan.settings, **settings))


@dataclass
class SimulatedMachine:
    """Measures what a schedule wants, by a clock of its own; everything takes `slowness` times what was estimated."""

    slowness: float = 1.0
    now_s: float = 0.0
    measured: list[tuple[str, int, int]] = field(default_factory=list)
    """Block, round and laps."""

    def clock(self) -> float:
        return self.now_s

    def run(self, schedule: Schedule) -> None:
        for blocks in schedule.rounds():
            for block in blocks:
                if not schedule.begins(block):
                    continue
                settings = schedule.plan.settings
                prepared_s = self.slowness * preparation_estimate_s(settings, block, RUNNERS)
                self.now_s += prepared_s
                laps = settings.laps
                laps_s = laps * self.slowness * lap_estimate_s(settings, block)
                self.now_s += laps_s
                self.measured.append((block.name, block.round, laps))
                schedule.ended(block, Spent(prepared_s, laps, laps_s))

    @property
    def rounds(self) -> list[int]:
        return [number for _, number, _ in self.measured]


def lap_s(block: Block, plan: Plan) -> float:
    return lap_estimate_s(plan.settings, block)


def test_without_a_time_the_plan_is_taken_literally() -> None:
    """Its rounds, its blocks in their order, and its laps."""
    plan, machine = plan_of(), SimulatedMachine()
    schedule = Schedule(plan, RUNNERS, clock=machine.clock)
    assert schedule.blocks == 4
    assert schedule.left_s == pytest.approx(estimate_s(plan, RUNNERS) - writing_s(plan))
    machine.run(schedule)
    assert machine.measured == [(block.name, block.round, 10) for block in plan.rounds]
    assert machine.now_s == pytest.approx(estimate_s(plan, RUNNERS) - writing_s(plan))
    assert (schedule.completed, schedule.left_s) == (2, 0)


def test_what_blocks_took_is_what_they_take_again() -> None:
    """On a machine that is three times as slow as was estimated, the first round shows how long the second takes."""
    plan, machine = plan_of(), SimulatedMachine(slowness=3)
    schedule = Schedule(plan, RUNNERS, clock=machine.clock)
    left_s = []
    for blocks in schedule.rounds():
        left_s.append((machine.now_s, schedule.left_s))
        for block in blocks:
            schedule.begins(block)
            prepared_s = 3 * preparation_estimate_s(plan.settings, block, RUNNERS)
            spent = Spent(prepared_s, 10, 30 * lap_s(block, plan))
            machine.now_s += prepared_s + spent.laps_s
            schedule.ended(block, spent)
    (_, first), (began_s, second) = left_s
    assert first == pytest.approx(estimate_s(plan, RUNNERS) - writing_s(plan))
    assert second == pytest.approx(machine.now_s - began_s, rel=0.05)


@pytest.mark.parametrize(("slowness", "rounds"), [(0.5, 5), (1.0, 5), (1.2, 4), (3.0, 2)])
def test_minutes_are_kept_however_slow_the_machine_is(slowness: float, rounds: int) -> None:
    """A slow one has fewer rounds, but two; what a fast one has left is left."""
    plan, machine = plan_of(rounds=5), SimulatedMachine(slowness)
    whole_s = estimate_s(plan, RUNNERS) - writing_s(plan)
    machine.run(TimedSchedule(plan, RUNNERS, 1.01 * whole_s, machine.clock))
    assert len(machine.rounds) == 2 * rounds


def test_two_rounds_are_measured_however_long_they_take() -> None:
    """One alone would have no intervals."""
    machine = SimulatedMachine()
    machine.run(TimedSchedule(plan_of(rounds=5), RUNNERS, end_s=0.1, clock=machine.clock))
    assert machine.rounds == [1, 1, 2, 2]


def test_a_part_of_a_suite_ends_with_its_rounds() -> None:
    """Its minutes are for the whole of it."""
    machine = SimulatedMachine()
    machine.run(TimedSchedule(plan_of(), RUNNERS, end_s=1e6, clock=machine.clock))
    assert machine.rounds == [1, 1, 2, 2]


def test_time_that_is_left_goes_to_the_least_certain_blocks() -> None:
    """As many of them as there is time for, in one more round."""
    plan, machine = plan_of(), SimulatedMachine()
    alone = SimulatedMachine()
    alone.run(TimedSchedule(plan, RUNNERS, end_s=1e6, clock=alone.clock))
    first, second = (block.name for block in plan.rounds[:2])
    block = next(block for block in plan.rounds if block.name == second)
    more_s = preparation_estimate_s(plan.settings, block, RUNNERS) + 10.5 * lap_s(block, plan)
    schedule = TimedSchedule(plan, RUNNERS, alone.now_s + more_s, machine.clock, least_certain=lambda: (second, first))
    machine.run(schedule)
    assert [one[:2] for one in machine.measured[4:]] == [(second, 3)]


def precise(
    machine: SimulatedMachine, plan: Plan, looks: Sequence[Mapping[str, float]], end_s: float = 1e6
) -> tuple[PreciseSchedule, list[str]]:
    remaining, notes = list(looks), list[str]()
    schedule = PreciseSchedule(
        plan,
        RUNNERS,
        end_s,
        machine.clock,
        until=Until(half_width=0.02, budget_s=1.0, looks=2),
        widths=lambda: remaining.pop(0),
        note=notes.append,
    )
    return schedule, notes


def test_blocks_that_are_not_precise_are_measured_as_often_as_it_still_takes() -> None:
    """At half the width again, 1.25 times as many rounds more; those of no other block."""
    plan, machine = plan_of(rounds=4), SimulatedMachine()
    cell = plan.cells[1]
    schedule, notes = precise(machine, plan, [{cell.id: 0.025}, {cell.id: 0.021}, {}])
    machine.run(schedule)
    assert [one[:2] for one in machine.measured[8:]] == [(cell.block, number) for number in (5, 6, 7, 8)]
    assert notes == [f"1 comparisons are less precise than ±2.0%: up to {more} more rounds" for more in (3, 1)]


def test_the_budget_alone_ends_it() -> None:
    """However many looks there were: every comparison stays wide."""
    plan, machine = plan_of(), SimulatedMachine()
    cell = plan.cells[1]
    schedule, _ = precise(machine, plan, [{cell.id: math.inf}] * 99, end_s=200.0)
    machine.run(schedule)
    block_s = 20 * max(lap_s(block, plan) for block in plan.rounds)
    assert 200 - block_s < machine.now_s < 200 + block_s


@pytest.mark.parametrize(
    ("rounds", "width", "more"),
    [(10, 0.021, 2), (10, 0.024, 5), (10, 0.2, 10), (3, math.inf, 3), (0, math.inf, 1)],
)
def test_an_interval_narrows_with_the_square_root_of_its_rounds(rounds: int, width: float, more: int) -> None:
    """At most as many again: a few rounds say little about how many are needed."""
    assert more_rounds(rounds, width, 0.02) == more


def asked(machine: SimulatedMachine, plan: Plan, more: Sequence[int], end_s: float = 1e6) -> list[tuple[Path, int]]:
    """Measure as many rounds as are asked for, and return when that was."""
    remaining, looks = list(more), list[tuple[Path, int]]()

    def answer(folder: Path, rounds: int) -> int:
        looks.append((folder, rounds))
        return remaining.pop(0)

    folder = Path("of-the-run")
    schedule = AskedSchedule(plan, RUNNERS, end_s, machine.clock, asked=Asked(answer, end_s), folder=folder)
    machine.run(schedule)
    return looks


def test_as_many_rounds_are_measured_as_are_asked_for() -> None:
    """The plan's first, then more after each look, which is told how many there were, until none is asked for."""
    plan, machine = plan_of(rounds=4), SimulatedMachine()
    assert [rounds for _, rounds in asked(machine, plan, [2, 3, 0])] == [4, 6, 9]
    assert sorted(machine.rounds) == [number for number in range(1, 10) for _ in range(2)]


def test_when_the_time_is_over_no_round_is_begun() -> None:
    """However many are asked for: nobody is asked again and again."""
    machine = SimulatedMachine()
    looks = asked(machine, plan_of(), [99] * 99, end_s=200.0)
    assert machine.now_s < 300
    assert len(looks) < 4
