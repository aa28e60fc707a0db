"""A metric is one entry of the registry, and everything that shows figures has it."""

import csv
import io
import json
from collections.abc import Iterator

import polars as pl
import pytest
from pydantic.fields import FieldInfo

from respmark.figures.cells import RunFigures
from respmark.figures.comparison import changes, per_metric
from respmark.figures.measured import COMPARED, Measured, metrics
from respmark.figures.metric import HIGHEST, Compared, metric
from respmark.figures.pairing import heads as pairs_of_heads
from respmark.figures.threshold import Outcome, Threshold, judged
from respmark.kinds.loops.record import LoopRecord
from respmark.report import columns
from respmark.report.data import to_csv, to_json
from respmark.report.html.chart_kinds import ChartKey
from respmark.report.html.charts import chart_of
from respmark.report.html.page import page_data
from respmark.report.html.view import View
from respmark.report.regressions import regressions
from respmark.report.report import Report
from tests.builders.plan import SHIPPED, make_client
from tests.builders.records import laps, make_run
from tests.report.reading import heads, tables, values

KEY = "largest"


def build(name: str, operations: int) -> list[LoopRecord]:
    client = make_client(name, library="lib")
    return [record.model_copy(update={"client": client}) for record in laps(name, operations)]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFigures]:
    """Two builds of a library, with a metric that nothing else knows: a cost, made of what RPS is made of."""
    compared = Compared("room", "room", ("elapsed_ns", "operations"))
    entry = metric("keys", pl.lit(7), HIGHEST, head="keys\nthat hit", compared=compared)
    Measured.model_fields[KEY] = FieldInfo.from_annotated_attribute(int, entry)
    monkeypatch.setitem(COMPARED, compared.key, (KEY, compared))
    Measured.model_rebuild(force=True)
    yield make_run(*build("a", 2000), *build("b", 1000))
    del Measured.model_fields[KEY]
    Measured.model_rebuild(force=True)


def test_every_output_has_a_new_metric(run: RunFigures) -> None:
    """The CSV as columns, JSON as numbers, tables as columns, the page as a fact, a chart as points."""
    report = Report(run, SHIPPED.scenarios)
    header, _, row = csv.reader(io.StringIO(to_csv(report.cells)))
    fields = dict(zip(header, row, strict=True))
    assert fields[KEY] == "7"
    assert float(fields["room_ratio_low"]) < 2 < float(fields["room_ratio_high"])
    _, cell = json.loads(to_json([report]))["runs"][0]["cells"]
    assert cell["measured"][KEY] == 7
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
    threshold = Threshold("room", 0.05)
    found = judged(changes(pairs_of_heads(run), per_metric), threshold)
    assert [one.outcome for one in found] == [Outcome.REGRESSED]
    (chapter,) = regressions([run.manifest], found, threshold)
    assert chapter.title == "respmark: room regressed by more than 5 % in 1 of 1 comparison"
    (table,) = chapter.tables
    assert "room ratio head / base" in heads(table)


def test_columns_and_facts_show_metrics_that_there_are() -> None:
    """Every key is one of the registry's, and every comparison has a column."""
    every = columns.columns()
    shown = {one.key for one in every if isinstance(one, columns.FigureColumn)}
    shown |= {fact.key for section in columns.Section for fact in columns.facts(section)}
    assert shown <= metrics().keys()
    assert {one.compared for one in every if isinstance(one, columns.RatioColumn)} == COMPARED.keys()
