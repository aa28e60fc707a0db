"""Cold starts in the views that all kinds of trial have."""

import csv
import io
import json
from typing import Any

import pytest

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import changes, per_metric
from respmark.figures.pairing import between
from respmark.figures.series import history_of
from respmark.figures.threshold import Outcome, Threshold, judged
from respmark.kinds.cold_start.kind import STARTS
from respmark.report.changes import comparison
from respmark.report.data import to_csv, to_json
from respmark.report.document import detailed, document, summary
from respmark.report.regressions import regressions
from respmark.report.report import Report
from respmark.report.scenarios import scenario_chapters
from respmark.report.series import timeline_chapters
from respmark.results.records import Status
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run
from tests.kinds.cold_start.builders import rounds, start, starts_record
from tests.report.reading import heads, printed, values


def reported(run: RunFigures) -> Report:
    return Report(run, SHIPPED.scenarios)


def two_clients(slow: float = 100.0, **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    records = [*rounds("fast", 10, 11, 12, 11), *rounds("slow", slow, slow + 1, slow + 2, slow + 2)]
    return make_run(*records, kind=STARTS, **changes)


def test_a_row_has_the_medians_of_all_stages() -> None:
    """Of the medians of rounds; what has no figure has its status there; few starts have no spread."""
    records = [
        starts_record("quick", start(10, 3), start(20, 3)),
        starts_record("quick", start(30, 3), number=2),
        starts_record("whole", *[start(10)] * 10),
        starts_record("lost", status=Status.MISSING, reason="not here"),
    ]
    report = reported(make_run(*records, kind=STARTS, seed=7, laps=2))
    (chapter,) = scenario_chapters(report.cells, report.specs, report.sort, None)
    (table,) = chapter.tables
    shown = ("start ms", "10 to 90 %", "runtime", "load", "create", "connect", "first command")
    rows = {name: tuple(values(table, head)[name] for head in shown) for name in ("quick", "whole", "lost")}
    assert rows["quick"] == ("68.5", "", "22.5", "40.0", "2.00", "3.00", "1.00")
    assert rows["whole"] == ("53.0 *", "53.0 to 53.0", "10.0", "40.0", "2.00", "", "1.00")
    assert rows["lost"] == ("missing", *[""] * 6)
    text = printed(summary(report))
    assert "lost is missing: not here" in text
    assert "2 rounds, each 2 starts of each client, in turns; seed 7" in printed(detailed(report))


def test_ratios_are_of_the_same_rounds_with_their_interval() -> None:
    """Less is better: the fast one is the fastest, though the slow one is its baseline."""
    report = Report(two_clients(), SHIPPED.scenarios, baseline="slow")
    fast, slow = report.cells
    assert fast.comparison is not None
    ratio = fast.comparison.ratio("start")
    assert ratio.shown
    assert (ratio.low or 0) < 54.5 / 144.75 < (ratio.high or 0)
    assert fast.standing is not None
    assert slow.standing is not None
    assert (fast.standing.is_fastest, slow.standing.faster) == (True, ["fast"])
    assert "start ratio to slow" in " ".join(heads(document(report)[1].tables[0]))


def test_a_second_run_is_compared_through_a_client_that_is_the_same() -> None:
    """And a pull request fails by it."""
    before, after = two_clients(), two_clients(slow=150.0, run_id="after")
    found = changes(between(before, after), per_metric)
    (chapter,) = (one for one in comparison([before], [after], found, []) if one.tables)
    shown = values(chapter.tables[0], "start B/A to fast")
    assert shown["fast"] == "control"
    assert shown["slow"].startswith("1.3")
    threshold = Threshold(STARTS.compared["start"], 0.05)
    outcomes = judged([one for one in found if one.base.client == "slow"], threshold)
    assert [one.outcome for one in outcomes] == [Outcome.REGRESSED]
    (told,) = regressions([before.manifest, after.manifest], outcomes, threshold)
    assert told.title == "respmark: start regressed by more than 5 % in 1 of 1 comparison"


def test_programs_read_their_figures_and_no_others() -> None:
    """A CSV has the columns of the kinds that are in it."""
    report = reported(two_clients())
    _, row = csv.DictReader(io.StringIO(to_csv(report.cells)))
    assert float(row["start_ms"]) == pytest.approx(145.0)
    assert float(row["start_ratio_low"]) < 145 / 54.5 < float(row["start_ratio_high"])
    assert "rps_median" not in row
    (run,) = json.loads(to_json([report]))["runs"]
    assert run["cells"][1]["measured"]["load_ms"] == 40.0
    assert run["claims"] == []


def test_releases_and_runs_are_series() -> None:
    """Each release by its ratio to one of them, each run by its ratio to a client."""
    records = [*rounds("lib@1.0", 10, 11, 12, 11), *rounds("lib@2.0", 50, 51, 52, 52)]
    report = reported(make_run(*records, kind=STARTS, control="lib@1.0"))
    (timeline,) = timeline_chapters(report.timelines)
    assert "time to the first reply" in " ".join(heads(timeline.tables[0]))
    history = history_of([two_clients(), two_clients(slow=150.0, run_id="after")], "fast")
    first, second = history.series[0].points
    assert first.to("start").value < second.to("start").value
