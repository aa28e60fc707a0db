"""Live progress."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from respmark.cli import live as module
from respmark.cli.live import LiveProgress, duration, outcome
from respmark.contract.trial import Scenario, Shape
from respmark.plan.estimate import estimate_s
from respmark.plan.trial import Plan
from respmark.records import Status
from tests.builders import make_block, make_record, make_slice_record, make_trial, planned, unmeasured

TRIAL = make_trial(Scenario.BATCHING, Shape(depth=10), 2)
BLOCK = make_block(TRIAL)


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


def test_an_outcome_is_one_line() -> None:
    """A figure, or state and reason."""
    assert outcome(make_record(None, 21_345)) == "21,345 commands/s"
    three = make_record(slices=[make_slice_record(count, lap) for lap, count in enumerate((100, 500, 900), start=1)])
    assert outcome(three) == "500 commands/s"
    assert outcome(unmeasured(Status.FAILED, "hung")) == "failed: hung"


class Screen:
    """A console whose output can be read."""

    def __init__(self, *, terminal: bool) -> None:
        self._file = io.StringIO()
        self.console = Console(
            file=self._file,
            force_terminal=terminal,
            width=200,
            highlight=False,
            color_system=None,
            legacy_windows=False,
        )

    @property
    def text(self) -> str:
        """Return what was printed."""
        return self._file.getvalue()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a clock that a test moves."""
    now = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_without_a_terminal_there_is_one_line_a_trial() -> None:
    """Number, what it was, and its figure; nothing is drawn in between."""
    screen, plan = Screen(terminal=False), planned()
    with LiveProgress(screen.console, plan) as progress:
        progress.block_started(BLOCK, 7)
        progress.progress("lap 3 of 10")
        assert screen.text == ""
        progress.trial_ended(make_record(TRIAL, 21_345))
    assert screen.text == f"[7/{len(plan.rounds)}] batching, depth=10, round 2: lib: 21,345 commands/s\n"


def test_notes_are_printed_as_they_are() -> None:
    """Brackets are names, not styles, and long lines are not cut."""
    screen = Screen(terminal=False)
    note = "redis-py[parser=python] is missing: " + "because " * 50
    with LiveProgress(screen.console, planned()) as progress:
        progress.note(note)
    assert screen.text == note + "\n"


def test_on_a_terminal_trial_figure_and_time_left_are_shown(clock: list[float]) -> None:
    """Before the first trial has ended the plan's estimate serves."""
    screen, plan = Screen(terminal=True), planned()
    with LiveProgress(screen.console, plan) as progress:
        progress.block_started(BLOCK, 1)
        progress.progress("lap 3 of 10")
    left = duration(estimate_s(plan))
    assert f"block 1 of {len(plan.rounds)}, about {left} left: batching, depth=10, round 2" in screen.text
    assert "lap 3 of 10" in screen.text
    assert clock == [0.0]


def test_time_left_follows_the_trials_so_far(clock: list[float]) -> None:
    """Two blocks in 20 s leave 10 s for each that is to come."""
    screen, plan = Screen(terminal=True), planned()
    with LiveProgress(screen.console, plan) as progress:
        for number in (1, 2):
            progress.block_started(BLOCK, number)
            progress.trial_ended(make_record(TRIAL))
        clock[0] = 20.0
        progress.block_started(BLOCK, 3)
    assert f"about {duration(10 * (len(plan.rounds) - 2))} left" in screen.text


def two_of(plan: Plan) -> Plan:
    """Return the plan with its first two blocks only."""
    return Plan(plan.settings, plan.suite, plan.cells, plan.rounds[:2])


def test_trials_that_are_passed_over_are_not_waited_for(clock: list[float]) -> None:
    """When the last of the plan's blocks runs, one block's time is left, however many clients were missing."""
    screen, plan = Screen(terminal=True), planned()
    total = len(plan.rounds)
    with LiveProgress(screen.console, plan) as progress:
        progress.block_started(BLOCK, 1)
        progress.trial_ended(make_record(TRIAL))
        clock[0] = 10.0
        progress.block_started(BLOCK, total)
    assert f"block {total} of {total}, about 10 s left" in screen.text


def test_on_a_terminal_only_what_went_wrong_stays() -> None:
    """The line of a trial that is ok goes; a failure is kept above."""
    screen = Screen(terminal=True)
    with LiveProgress(screen.console, two_of(planned())) as progress:
        progress.block_started(BLOCK, 1)
        progress.trial_ended(make_record(TRIAL, 21_345))
        progress.block_started(BLOCK, 2)
        progress.trial_ended(unmeasured(Status.FAILED, "hung", TRIAL))
    assert "21,345" not in screen.text
    assert "[2/2] batching, depth=10, round 2: lib: failed: hung" in screen.text
