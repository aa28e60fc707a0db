"""The writers, on the run by hand and on one of long names: they know nothing of a run, only tables."""

import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from respmark.contract.trial import Scenario, Shape, Window
from respmark.report.document import detailed, document, summary
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, unmeasured
from tests.report.reading import printed, reported

NAMES = [
    "redis-py",
    "redis-py[parser=python]",
    "redis-py[parser=python-parser,protocol=2]",
    "node-redis[command-timeout=off]",
    "node-redis[command-timeout=off,protocol=2]",
]


@pytest.fixture(scope="module")
def wide() -> Report:
    shape = Shape(depth=1000, window=Window.SLIDING, threads=100, processes=8)
    trials = [make_trial(Scenario.PIPELINING, shape, client=make_client(name)) for name in NAMES]
    failed = unmeasured(Status.UNSUPPORTED, "because " * 40 + "x" * 150, trials.pop())
    return reported(*(make_record(trial, 123_456_789) for trial in trials), failed)


def test_a_terminal_has_the_answer_on_one_screen(report: Report, snapshot: SnapshotAssertion) -> None:
    """The summary of the run by hand is as it was."""
    assert printed(summary(report)) == snapshot


def test_a_terminal_has_every_client_and_figure(report: Report, snapshot: SnapshotAssertion) -> None:
    """The tables of the run by hand are as they were."""
    assert printed(detailed(report)) == snapshot


def test_markdown_has_everything(report: Report, snapshot: SnapshotAssertion) -> None:
    """The document of the run by hand is as it was."""
    assert markdown(document(report)) == snapshot


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal(report: Report, wide: Report, width: int) -> None:
    """Whatever stands in a cell; nothing is cut off."""
    for text in (printed(made(one), width) for made in (summary, detailed) for one in (report, wide)):
        assert max(map(cell_len, text.splitlines())) <= width
        assert "…" not in text
    assert "8 processes" in printed(detailed(wide), width)
