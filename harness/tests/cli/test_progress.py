"""What a run tells while it measures, and how long it still takes."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from respmark.cli import progress as module
from respmark.cli.progress import PLAN_S, JsonLines, LiveProgress, TimeLeft, first_clients, write_event
from respmark.contract.trial import Scenario, Shape
from respmark.plan.needs import block_estimate_s, duration, estimate_s
from respmark.plan.trial import BlockRound
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_block, make_client, make_trial, planned
from tests.builders.records import make_record, make_slice_record, unmeasured

RUNNERS = SHIPPED.runners
TRIAL = make_trial(Scenario.BATCHING, Shape(depth=10), 2)
BLOCK = make_block(TRIAL)
NINE = replace(planned(), rounds=(BLOCK,) * 9)
PLAN = planned("smoke", rounds=2)
BLOCKS = len(PLAN.rounds) // 2


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0 s"), (99.4, "99 s"), (100, "2 min"), (5939, "99 min"), (6000, "1 h 40 min"), (12_000, "3 h 20 min")],
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


def run_block(left: TimeLeft, number: int, block: BlockRound, clock: list[float], took_s: float) -> None:
    """Let a block run."""
    left.block_started(block, number)
    clock[0] += took_s


def test_blocks_that_have_not_run_follow_the_pace_of_those_that_have(clock: list[float]) -> None:
    """They took twice as long as was estimated: so will the others, as far as that is known."""
    left = TimeLeft(replace(PLAN, rounds=PLAN.rounds[:BLOCKS]), RUNNERS)
    for number, block in enumerate(PLAN.rounds[:2], start=1):
        run_block(left, number, block, clock, 2 * block_s(block))
    known = sum(map(block_s, PLAN.rounds[:2]))
    pace = (2 * known + PLAN_S) / (known + PLAN_S)
    assert 1 < pace < 2
    later = pace * sum(map(block_s, PLAN.rounds[2:BLOCKS]))
    left.block_started(PLAN.rounds[2], 3)
    assert left.seconds == pytest.approx(later)
    clock[0] += 1.0
    assert left.seconds == pytest.approx(later - 1.0)


def test_a_run_that_fills_its_time_goes_on_until_then(clock: list[float]) -> None:
    """Even if its blocks end earlier, or were passed over; those that take longer count."""
    left = TimeLeft(PLAN, RUNNERS, fills_s=1000.0)
    run_block(left, len(PLAN.rounds), PLAN.rounds[-1], clock, 400.0)
    assert left.seconds == pytest.approx(600.0)
    clock[0] = 1001.0
    assert left.seconds == 0.0
    assert TimeLeft(PLAN, RUNNERS, fills_s=1.0).seconds == TimeLeft(PLAN, RUNNERS).seconds > 1.0


def test_a_run_that_goes_on_has_more_blocks_than_its_plan(clock: list[float]) -> None:
    """The block that runs is what is known to be left."""
    left = TimeLeft(PLAN, RUNNERS)
    left.block_started(PLAN.rounds[0], len(PLAN.rounds) + 1)
    assert left.total == len(PLAN.rounds) + 1
    assert left.seconds == pytest.approx(block_s(PLAN.rounds[0]))
    assert clock == [0.0]


def test_the_first_of_a_round_are_named() -> None:
    """The three highest medians of slices; who failed is not among them."""
    three = make_record(slices=[make_slice_record(count, lap) for lap, count in enumerate((100, 500, 900), start=1)])
    assert first_clients([three]) == "lib 500 (commands/s)"
    names = {"a": 1000, "b": 4000, "c": 2000, "d": 3000}
    records = [make_record(make_trial(client=make_client(name)), done) for name, done in names.items()]
    assert first_clients(records) == "b 4,000, d 3,000, c 2,000 (commands/s)"
    assert first_clients([unmeasured(Status.FAILED, "hung")]) == ""


class Screen:
    """A console whose output can be read."""

    def __init__(self, *, terminal: bool) -> None:
        self._file = io.StringIO()
        self.console = Console(file=self._file, force_terminal=terminal, width=200, highlight=False, color_system=None)

    @property
    def text(self) -> str:
        """Return what was printed."""
        return self._file.getvalue()


def test_without_a_terminal_there_is_one_line_a_block() -> None:
    """Number, what it was, what it found and the time that is left; nothing is drawn in between."""
    screen = Screen(terminal=False)
    with LiveProgress(screen.console, TimeLeft(NINE, RUNNERS)) as progress:
        progress.block_started(BLOCK, 7)
        progress.progress("lap 3 of 10")
        assert screen.text == ""
        progress.trial_ended(make_record(TRIAL, 21_345))
    (line,) = screen.text.splitlines()
    assert line.startswith("[7/9] batching, depth=10, round 2: lib 21,345 (commands/s); about ")


def test_on_a_terminal_only_what_went_wrong_stays() -> None:
    """Where it is and what the last block found stand in lines that go; a failure is kept above."""
    screen = Screen(terminal=True)
    with LiveProgress(screen.console, TimeLeft(NINE, RUNNERS)) as progress:
        progress.block_started(BLOCK, 1)
        progress.progress("lap 3 of 10")
        progress.trial_ended(make_record(TRIAL, 21_345))
        progress.block_started(BLOCK, 2)
        progress.trial_ended(unmeasured(Status.FAILED, "hung", TRIAL))
    left = duration(estimate_s(NINE, RUNNERS))
    assert f"block 1 of 9, about {left} left: batching, depth=10, round 2  lap 3 of 10" in screen.text
    assert "last: lib 21,345" in screen.text
    assert "batching, depth=10, round 2: lib: failed: hung" in screen.text


def test_json_lines_are_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it is, what became of each trial, and notes; another's words stay within their line."""
    two = make_block(TRIAL, TRIAL)
    with JsonLines(TimeLeft(replace(NINE, rounds=(two,)), RUNNERS)) as progress:
        progress.block_started(two, 1)
        progress.progress("lap 3 of 10")
        progress.trial_ended(make_record(TRIAL, 21_345))
        progress.trial_ended(unmeasured(Status.FAILED, "hung\n\x1b[2J", TRIAL))
        progress.note("the target is back")
    write_event("run-ended", folder="results/x", exit_code=1)
    output = capsys.readouterr().out
    started, good, bad, note, ended = map(json.loads, output.splitlines())
    assert (started["event"], started["block"], started["number"]) == ("block-started", BLOCK.name, 1)
    assert started["left_s"] > 0
    assert (good["client"], good["rps"], good["status"], good["reason"]) == ("lib", 21_345, "ok", None)
    assert (bad["rps"], bad["status"], bad["reason"]) == (None, "failed", "hung\n\x1b[2J")
    assert note == {"event": "note", "text": "the target is back"}
    assert ended == {"event": "run-ended", "folder": "results/x", "exit_code": 1}
    assert "\x1b" not in output
