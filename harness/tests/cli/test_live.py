"""Live progress."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from respmark.cli.live import LiveProgress, first_clients
from respmark.cli.other_progress import JsonLines, run_ended
from respmark.cli.time_left import TimeLeft, duration
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode
from respmark.plan.estimate import estimate_s
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_block, make_client, make_trial, planned
from tests.builders.records import make_record, make_slice_record, unmeasured

TRIAL = make_trial(Scenario.BATCHING, Shape(depth=10), 2)
BLOCK = make_block(TRIAL)
PLAN = replace(planned(), rounds=(BLOCK,) * 9)


def test_the_first_of_a_round_are_named() -> None:
    """The highest medians of slices; who failed is not among them."""
    three = make_record(slices=[make_slice_record(count, lap) for lap, count in enumerate((100, 500, 900), start=1)])
    assert first_clients([three]) == "lib 500 (commands/s)"
    names = {"a": 1000, "b": 4000, "c": 2000, "d": 3000}
    records = [make_record(make_trial(client=make_client(name)), done) for name, done in names.items()]
    assert first_clients(records) == "b 4,000, d 3,000, c 2,000 and 1 more (commands/s)"
    assert first_clients([unmeasured(Status.FAILED, "hung")]) == ""


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


def time_left() -> TimeLeft:
    """Return what is left of the plan whose block is used."""
    return TimeLeft(PLAN, SHIPPED.runners)


def test_without_a_terminal_there_is_one_line_a_block() -> None:
    """Number, what it was, what it found and the time that is left; nothing is drawn in between."""
    screen = Screen(terminal=False)
    with LiveProgress(screen.console, time_left()) as progress:
        progress.block_started(BLOCK, 7)
        progress.progress("lap 3 of 10")
        assert screen.text == ""
        progress.trial_ended(make_record(TRIAL, 21_345))
    (line,) = screen.text.splitlines()
    assert line.startswith(f"[7/{len(PLAN.rounds)}] batching, depth=10, round 2: lib 21,345 (commands/s); about ")


def test_notes_are_printed_as_they_are() -> None:
    """Brackets are names, not styles, and long lines are not cut."""
    screen = Screen(terminal=False)
    note = "redis-py[parser=python] is missing: " + "because " * 50
    with LiveProgress(screen.console, time_left()) as progress:
        progress.note(note)
    assert screen.text == note + "\n"


def test_on_a_terminal_trial_figure_and_time_left_are_shown() -> None:
    """Before the first trial has ended the plan's estimate serves."""
    screen = Screen(terminal=True)
    with LiveProgress(screen.console, time_left()) as progress:
        progress.block_started(BLOCK, 1)
        progress.progress("lap 3 of 10")
    left = duration(estimate_s(PLAN, SHIPPED.runners))
    assert f"block 1 of {len(PLAN.rounds)}, about {left} left: batching, depth=10, round 2" in screen.text
    assert "lap 3 of 10" in screen.text


def test_on_a_terminal_only_what_went_wrong_stays() -> None:
    """What the last block found stands in the second line, and goes; a failure is kept above."""
    screen = Screen(terminal=True)
    with LiveProgress(screen.console, time_left()) as progress:
        progress.block_started(BLOCK, 1)
        progress.trial_ended(make_record(TRIAL, 21_345))
        progress.block_started(BLOCK, 2)
        progress.trial_ended(unmeasured(Status.FAILED, "hung", TRIAL))
    assert "last: lib 21,345" in screen.text
    assert "batching, depth=10, round 2: lib: failed: hung" in screen.text


def test_json_lines_are_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it is, what became of each trial, and notes; another's words stay within their line."""
    with JsonLines(time_left()) as progress:
        progress.block_started(BLOCK, 1)
        progress.progress("lap 3 of 10")
        progress.trial_ended(make_record(TRIAL, 21_345))
        progress.trial_ended(unmeasured(Status.FAILED, "hung\n\x1b[2J", TRIAL))
        progress.note("the target is back")
    run_ended(Path("results/x"), ExitCode.SOME_FAILED)
    output = capsys.readouterr().out
    started, good, bad, note, ended = map(json.loads, output.splitlines())
    assert (started["event"], started["block"], started["number"]) == ("block-started", BLOCK.name, 1)
    assert started["left_s"] > 0
    assert (good["client"], good["rps"], good["status"], good["reason"]) == ("lib", 21_345, "ok", None)
    assert (bad["rps"], bad["status"], bad["reason"]) == (None, "failed", "hung\n\x1b[2J")
    assert note == {"event": "note", "text": "the target is back"}
    assert ended == {"event": "run-ended", "folder": "results/x", "exit_code": 1}
    assert "\x1b" not in output
