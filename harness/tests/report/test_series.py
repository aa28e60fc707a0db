"""The timelines of a series of releases, in a terminal and as JSON."""

import json

import pytest

from respmark.report.data import to_json
from respmark.report.document import answer, document
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.series import ONE_ROUND, bar, timeline_chapters
from tests.builders.plan import SHIPPED
from tests.report.reading import printed
from tests.report.series import GONE, RATES, series_run
from tests.report.versions import two_versions

REPORT = Report(series_run(), SHIPPED.scenarios)


def test_a_timeline_fits_a_terminal_of_80_columns() -> None:
    """A row a release, with its bar, its ratios and its step; below them the steps in words, the largest first."""
    text = printed(timeline_chapters(REPORT.timelines), 80)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line for line in lines if line[:1].isdigit()}
    assert list(rows) == ["3.5.3", "4.0.0", "4.6.0", "5.0.8", "6.4.0", "8.1.0"]
    assert "█" * 8 in rows["3.5.3"]
    assert "missing" in rows["4.0.0"]
    assert rows["5.0.8"].rstrip().endswith("0.81, CPU 1.24")
    assert "0.80 (0." in rows["5.0.8"]
    said = " ".join(text.split())
    assert "redis-py in sync" in said
    assert "throughput" in said
    assert f"(1) 4.0.0: missing: {GONE}" in said
    first, second = said.index("5.0.8 against 4.6.0: 0.81 ("), said.index("8.1.0 against 6.4.0: 1.12 (")
    assert first < second
    assert "of the throughput, 1.24 (" in said
    assert "times the client CPU" in said


def test_one_round_shows_no_steps() -> None:
    (chapter,) = timeline_chapters(Report(series_run(1), SHIPPED.scenarios).timelines)
    assert chapter.notes == (ONE_ROUND,)
    assert not any("against" in note for note in chapter.tables[0].notes)


@pytest.mark.parametrize(("share", "drawn"), [(1.0, "█" * 8), (0.5, "████"), (0.55, "████▍"), (0.0, "")])
def test_a_bar_has_eighths_of_a_character(share: float, drawn: str) -> None:
    assert bar(share) == drawn


def test_a_series_is_answered_by_its_timeline() -> None:
    """In place of a table of clients; new versions against old would say it again."""
    titles = [chapter.title for chapter in answer(REPORT)]
    assert titles[0] == "releases"
    assert "the answer" not in titles
    assert answer(REPORT, "provisional")[0].title == "provisional"
    assert REPORT.changes == []
    text = markdown(document(REPORT))
    assert "| `5.0.8` |" in text
    assert "new versions against old" not in text
    others = Report(two_versions(), SHIPPED.scenarios)
    assert (answer(others)[0].title, timeline_chapters(others.timelines)) == ("the answer", [])


def test_json_has_the_timelines() -> None:
    ((timeline,),) = [run["timelines"] for run in json.loads(to_json([REPORT]))["runs"]]
    assert [one["version"] for one in timeline["releases"]] == sorted([*RATES, "4.0.0"])
    assert timeline["releases"][3]["step"]["rps"]["shown"] is True
