"""What a run tells while it measures."""

import io
import json
import time

import pytest
from rich.console import Console

from respmark.cli.under_way import JsonLines, LiveProgress, write_event
from respmark.contract.trial import Scenario, Shape
from respmark.results.records import Status
from respmark.run.observer import Progress
from tests.builders.plan import make_block, make_trial
from tests.builders.records import make_record, unmeasured

TRIAL = make_trial(Scenario.BATCHING, Shape(depth=10), 2, workload="quick")
BLOCK = make_block(TRIAL)


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
    progress = LiveProgress(screen.console)
    with progress.drawing:
        progress.block_started(BLOCK, Progress(7, 9, time.monotonic() + 60))
        progress.progress("lap 3 of 10")
        assert screen.text == ""
        progress.trial_ended(make_record(TRIAL, 21_345))
    (line,) = screen.text.splitlines()
    assert line.startswith("[7/9] batching, depth=10, workload=quick, round 2: lib 21,345 (commands/s); about ")


def test_json_lines_are_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it is, what became of each trial, and notes; another's words stay within their line."""
    two = make_block(TRIAL, TRIAL)
    progress = JsonLines()
    progress.block_started(two, Progress(1, 1, time.monotonic() + 60))
    progress.progress("lap 3 of 10")
    progress.trial_ended(make_record(TRIAL, 21_345))
    progress.trial_ended(unmeasured(Status.FAILED, "hung\n\x1b[2J", TRIAL))
    progress.note("the server is back")
    write_event("run-ended", folder="results/x", exit_code=1)
    output = capsys.readouterr().out
    started, good, bad, note, ended = map(json.loads, output.splitlines())
    assert (started["event"], started["block"], started["number"]) == ("block-started", BLOCK.name, 1)
    assert started["left_s"] > 0
    assert (good["client"], good["rps"], good["status"], good["reason"]) == ("lib", 21_345, "ok", None)
    assert (bad["rps"], bad["status"], bad["reason"]) == (None, "failed", "hung\n\x1b[2J")
    assert note == {"event": "note", "text": "the server is back"}
    assert ended == {"event": "run-ended", "folder": "results/x", "exit_code": 1}
    assert "\x1b" not in output
