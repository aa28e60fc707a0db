"""A metric is one entry of its kind's figures, and everything that shows figures has it."""

import csv
import io
import json
from dataclasses import replace

import polars as pl
import pytest

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import changes, per_metric
from respmark.figures.metric import HIGHEST, Compared, metric
from respmark.figures.pairing import between
from respmark.figures.pairing import heads as pairs_of_heads
from respmark.figures.series import history_of
from respmark.figures.threshold import Outcome, Threshold, judged
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.record import LoopRecord
from respmark.kinds.loops.rounds import counted
from respmark.kinds.reading import KINDS
from respmark.report import columns
from respmark.report.changes import comparison
from respmark.report.data import history_json, to_csv, to_json
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.charts import chart_of
from respmark.report.html.page import page_data
from respmark.report.html.view import View
from respmark.report.kind import Kind
from respmark.report.regressions import regressions
from respmark.report.report import Report
from respmark.report.series import history_chapters, timeline_chapters
from tests.builders.plan import SHIPPED, make_client
from tests.builders.records import laps, make_run
from tests.report.reading import heads, tables, values
from tests.report.series import series_records

ROOM = Compared("room", "room", ("elapsed_ns", "operations"), counted, in_series=True)


class MoreFigures(LoopFigures):
    """Those of loops and one more, which nothing else knows: a cost, made of what RPS is made of."""

    largest: int = metric("keys", pl.lit(7), HIGHEST, head="keys\nthat hit", compared=ROOM)


MORE = replace(LOOPS, figures=MoreFigures)


def build(name: str, operations: int) -> list[LoopRecord]:
    client = make_client(name, library="lib")
    return [record.model_copy(update={"client": client}) for record in laps(name, operations)]


@pytest.fixture
def run() -> RunFigures:
    """Two builds of a library."""
    return make_run(*build("a", 2000), *build("b", 1000), kind=MORE)


def test_every_output_has_a_new_metric(run: RunFigures) -> None:
    """The CSV as columns, JSON as numbers, tables as columns, the page as a fact, a chart as points."""
    report = Report(run, SHIPPED.scenarios)
    header, _, row = csv.reader(io.StringIO(to_csv(report.cells)))
    fields = dict(zip(header, row, strict=True))
    assert fields["largest"] == "7"
    assert float(fields["room_ratio_low"]) < 2 < float(fields["room_ratio_high"])
    _, cell = json.loads(to_json([report]))["runs"][0]["cells"]
    assert cell["measured"]["largest"] == 7
    assert cell["comparison"]["room"]["value"] == pytest.approx(2, rel=0.01)
    (table,) = tables(report)["sync"]
    assert values(table, "keys that hit") == {"a": "7", "b": "7"}
    assert values(table, "room ratio to a")["b"].startswith("2.0")
    data = page_data(View(report), [])
    assert ["keys that hit", "7 keys"] in dict(data["cells"][0]["sections"])[columns.Section.FIGURES]
    assert data["metrics"]["room"] == "room"
    assert ["room", "b"] in [row[1:3] for row in chart_of(View(report), ChartKey.FOREST).rows]


def test_a_new_metric_can_fail_a_pull_request(run: RunFigures) -> None:
    """By its key, in a table that names it."""
    threshold = Threshold(MORE.compared["room"], 0.05)
    found = judged(changes(pairs_of_heads(run), per_metric), threshold)
    assert [one.outcome for one in found] == [Outcome.REGRESSED]
    (chapter,) = regressions([run.manifest], found, threshold)
    assert chapter.title == "respmark: room regressed by more than 5 % in 1 of 1 comparison"
    (table,) = chapter.tables
    assert "room ratio head / base" in heads(table)


def test_releases_and_runs_are_compared_in_a_new_metric_of_series(run: RunFigures) -> None:
    """It has its column in the releases of a library, in its chart, over many runs, and between two."""
    report = Report(make_run(*series_records(), kind=MORE, control="redis-py@3.5.3"), SHIPPED.scenarios)
    (timeline,) = timeline_chapters(report.timelines)
    assert {"keys that hit", "room to 3.5.3"} <= set(heads(timeline.tables[0]))
    assert "room" in {row[1] for row in chart_of(View(report), ChartKey.RELEASES).rows}
    history = history_of([run, make_run(*build("a", 2000), *build("b", 900), kind=MORE, run_id="later")], "a")
    (of_scenario,) = (one for one in history_chapters(history) if one.tables)
    assert "room ratio to a" in heads(of_scenario.tables[0])
    first, *_ = json.loads(history_json(history))["series"][0]["points"]
    assert first["to_control"]["room"]["value"] == pytest.approx(2, rel=0.01)
    found = changes(between(run, run), per_metric)
    assert any("room B/A" in head for head in heads(comparison([run], [run], found, [])[1].tables[0]))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.main)
def test_columns_and_facts_show_metrics_that_there_are(kind: Kind) -> None:
    """Every key is one of the kind's, every comparison has a column, and what stands for it has a figure's."""
    shown = {one.key for one in kind.columns if isinstance(one, columns.FigureColumn)}
    shown |= {fact.key for section in columns.Section for fact in kind.facts(section)}
    assert shown <= kind.metrics.keys()
    assert {one.compared for one in kind.columns if isinstance(one, columns.RatioColumn)} == kind.compared.keys()
    assert all(kind.column_of(key) for key in kind.in_series)
    assert kind.main in kind.in_series


def test_no_two_kinds_share_a_scenario_or_a_comparison() -> None:
    """A scenario's figures are those of one kind, and `--metric` names one of them."""
    scenarios = [scenario for kind in KINDS for scenario in kind.scenarios]
    compared = [key for kind in KINDS for key in kind.compared]
    assert (len(set(scenarios)), len(set(compared))) == (len(scenarios), len(compared))
