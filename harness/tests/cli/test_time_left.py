"""How long a run still takes."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from types import SimpleNamespace

import pytest

from respmark.cli import time_left as module
from respmark.cli.time_left import PLAN_S, TimeLeft, duration
from respmark.plan.estimate import block_estimate_s, estimate_s
from respmark.plan.trial import BlockRound, Cell, Plan, Trial
from respmark.results.records import TrialRecord
from respmark.results.store import Run, read_run
from tests.builders.plan import SHIPPED, planned
from tools.readme import PUBLISHED

RUNNERS = SHIPPED.runners
PLAN = planned("smoke", rounds=2)
BLOCKS = len(PLAN.rounds) // 2


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0 s"),
        (42.4, "42 s"),
        (99.4, "99 s"),
        (100, "2 min"),
        (420, "7 min"),
        (5939, "99 min"),
        (6000, "1 h 40 min"),
        (12_000, "3 h 20 min"),
    ],
)
def test_a_duration_is_written_as_people_say_it(seconds: float, written: str) -> None:
    """Seconds while they matter, then minutes, then hours."""
    assert duration(seconds) == written


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a clock that a test moves."""
    now = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def block_s(block: BlockRound) -> float:
    """Return what is estimated for a block."""
    return block_estimate_s(PLAN, block, RUNNERS)


def test_blocks_that_have_not_run_follow_the_pace_of_those_that_have(clock: list[float]) -> None:
    """They took twice as long as was estimated: so will the others, each by what it holds, as far as that is known."""
    left = TimeLeft(replace(PLAN, rounds=PLAN.rounds[:BLOCKS]), RUNNERS)
    for number, block in enumerate(PLAN.rounds[:2], start=1):
        left.block_started(number, block.name)
        clock[0] += 2 * block_s(block)
        left.block_ended()
    known = sum(map(block_s, PLAN.rounds[:2]))
    pace = (2 * known + PLAN_S) / (known + PLAN_S)
    assert 1 < pace < 2
    later = pace * sum(map(block_s, PLAN.rounds[2:BLOCKS]))
    assert left.seconds == pytest.approx(later)
    left.block_started(3, PLAN.rounds[2].name)
    clock[0] += 1.0
    assert left.seconds == pytest.approx(later - 1.0)


def test_a_run_that_fills_its_time_goes_on_until_then(clock: list[float]) -> None:
    """Even if its blocks end earlier; those that take longer count."""
    left = TimeLeft(PLAN, RUNNERS, fills_s=1000.0)
    left.block_started(len(PLAN.rounds), PLAN.rounds[-1].name)
    left.block_ended()
    clock[0] = 400.0
    assert left.seconds == pytest.approx(600.0)
    clock[0] = 1001.0
    assert left.seconds == 0.0
    assert TimeLeft(PLAN, RUNNERS, fills_s=1.0).seconds == TimeLeft(PLAN, RUNNERS).seconds > 1.0


def test_a_block_that_has_run_takes_as_long_again(clock: list[float]) -> None:
    """One block takes ten times its estimate, as those of long units do; the others of that round do not."""
    left = TimeLeft(PLAN, RUNNERS)
    slow = PLAN.rounds[0].name
    for number, block in enumerate(PLAN.rounds[:BLOCKS], start=1):
        left.block_started(number, block.name)
        clock[0] += block_s(block) * (10 if block.name == slow else 1)
        left.block_ended()
    expected = sum(block_s(block) * (10 if block.name == slow else 1) for block in PLAN.rounds[BLOCKS:])
    assert left.seconds == pytest.approx(expected)


def test_blocks_that_are_passed_over_are_not_waited_for(clock: list[float]) -> None:
    """When the last of the plan's blocks has ended nothing is left, however many were passed over."""
    left = TimeLeft(PLAN, RUNNERS)
    left.block_started(len(PLAN.rounds), PLAN.rounds[-1].name)
    clock[0] += 10.0
    left.block_ended()
    assert left.seconds == 0


def test_a_run_that_goes_on_has_more_blocks_than_its_plan(clock: list[float]) -> None:
    """The block that runs is what is known to be left."""
    left = TimeLeft(PLAN, RUNNERS)
    left.block_started(len(PLAN.rounds) + 1, PLAN.rounds[0].name)
    assert left.total == len(PLAN.rounds) + 1
    assert left.seconds == pytest.approx(block_s(PLAN.rounds[0]))
    assert clock == [0.0]


def test_of_the_published_run_the_time_left_is_right_within_a_fifth(clock: list[float]) -> None:
    """Its blocks end when they ended; at each part of the way, what is shown is held against what was still to come."""
    run = read_run(PUBLISHED)
    ended_at = run.manifest.ended_at
    assert ended_at is not None
    rounds = list(recorded_rounds(run))
    starts_s = [(records[0].started_at - rounds[0][0].started_at).total_seconds() for records in rounds]
    whole_s = (ended_at - rounds[0][0].started_at).total_seconds()
    plan = recorded_plan(run, rounds)
    assert estimate_s(plan, RUNNERS) == pytest.approx(whole_s, rel=0.2)
    left = TimeLeft(plan, RUNNERS)
    due = [0.1, 0.25, 0.5, 0.75, 0.9]
    for number, (block, end_s) in enumerate(zip(plan.rounds, [*starts_s[1:], whole_s], strict=True), start=1):
        left.block_started(number, block.name)
        while due and due[0] * whole_s < end_s:
            clock[0] = due.pop(0) * whole_s
            assert left.seconds == pytest.approx(whole_s - clock[0], rel=0.2)
        clock[0] = end_s
        left.block_ended()
    assert due == []
    assert left.seconds == 0


def recorded_rounds(run: Run) -> Iterator[list[TrialRecord]]:
    """Yield the records of each round of a block, in the order in which they ran."""
    measured = [trial for trial in run.trials if trial.latency is not None]
    for _, records in groupby(sorted(measured, key=lambda record: record.started_at), lambda one: one.started_at):
        yield list(records)


def recorded_plan(run: Run, rounds: list[list[TrialRecord]]) -> Plan:
    """Return the plan that a run's records are of; today's suite may be another."""
    manifest, shipped = run.manifest, planned("quick")
    settings = replace(
        shipped.settings,
        laps=manifest.laps,
        slice_s=manifest.slice_s,
        lead_in_s=manifest.lead_in_s,
        warmup_limit_s=manifest.warmup_limit_s,
    )
    blocks = [BlockRound(one[0].block, one[0].round, tuple(map(recorded_trial, one))) for one in rounds]
    return replace(shipped, settings=settings, rounds=tuple(blocks))


def recorded_trial(record: TrialRecord) -> Trial:
    """Return the trial that a record is of."""
    return Trial(Cell(record.client, record.scenario, record.shape, None, record.block), record.round)
