"""Tables in a terminal."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from respmark.console import READABLE_WIDTH, report_console
from respmark.contract.trial import Scenario, Shape, Window
from respmark.report.tables import Report, make_report
from respmark.report.terminal import print_report, shown_columns
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_run, unmeasured


def printed(report: Report, width: int = READABLE_WIDTH) -> str:
    """Return what is printed into a file of this width."""
    output = io.StringIO()
    print_report(Console(file=output, width=width, highlight=False), report)
    return output.getvalue()


NAMES = [
    "redis-py",
    "redis-py[parser=python]",
    "redis-py[parser=python-parser,protocol=2]",
    "redis-py@3.5.3",
    "node-redis[command-timeout=off]",
    "node-redis[command-timeout=off,protocol=2]",
]


@pytest.fixture(scope="module")
def wide() -> Report:
    """Return a report of six clients with long names, large figures, long shapes and long reasons."""
    shape = Shape(depth=1000, window=Window.SLIDING, threads=100, processes=8)
    records = []
    for place, name in enumerate(NAMES):
        trial = make_trial(Scenario.PIPELINING, shape, client=make_client(name))
        if place == 4:
            records.append(unmeasured(Status.UNSUPPORTED, "because " * 40 + "x" * 150, trial))
        else:
            records.append(make_record(trial, 123_456_789))
    return make_report(make_run(*records), SHIPPED.scenarios)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal(report: Report, wide: Report, width: int) -> None:
    """Whatever stands in a cell."""
    for made in (report, wide):
        assert max(cell_len(line) for line in printed(made, width).splitlines()) <= width


def test_every_client_has_one_line_at_100_columns() -> None:
    """Names, figures, ratios with their intervals and the numbers of notes of large figures stand side by side."""
    fast = laps("node-redis[command-timeout=off]", 1_254_424)
    run = make_run(*laps("redis-py", 154_548), *fast)
    text = printed(make_report(run, SHIPPED.scenarios))
    (line,) = [line for line in text.splitlines() if line.startswith("node-redis[command-timeout=off]")]
    assert "1,254,424" in line
    assert re.search(r"8\.1\d \(8\.\d\d\.\.8\.\d\d\)", line)


def test_every_client_and_every_figure_is_there_at_100_columns(wide: Report) -> None:
    """Nothing is cut off: names, shapes, figures and states are whole."""
    text = printed(wide)
    for name in NAMES:
        assert name[:20] in text
    assert len(re.findall(r"(?<!\.)123,456,789(?!\.)", text)) == 5
    assert text.count("unsupported") >= 1
    assert "…" not in text
    assert "8 processes" in text


def test_a_wider_terminal_shows_more_columns(report: Report) -> None:
    """Those that are extra come where there is room for them; the others are always there."""
    block = report.tables[0].blocks[0]
    narrow, wide = (shown_columns(block, width) for width in (60, 300))
    assert [block.columns[number].is_extra for number in narrow] == [False] * len(narrow)
    assert wide == list(range(len(block.columns)))
    assert len(narrow) < len(shown_columns(block, 110)) < len(wide)


def test_brackets_are_names_not_styles(report: Report) -> None:
    """A client's options are printed as they are."""
    assert "[parser=slow]" in printed(report)


def test_into_a_pipe_there_are_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or pipe has no width of its own, whatever the environment says."""
    monkeypatch.setenv("COLUMNS", "40")
    assert report_console().width == READABLE_WIDTH


def test_the_whole_report(report: Report, snapshot: SnapshotAssertion) -> None:
    """The tables of the run by hand are as they were."""
    assert printed(report) == snapshot
