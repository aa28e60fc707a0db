"""A metric is one entry of the registry, and what tables and the page show of it are entries in their order."""

import csv
import io
import json
from collections.abc import Iterator

import polars as pl
import pytest
from pydantic.fields import FieldInfo

from respmark.figures.cells import RunFigures
from respmark.figures.measured import COMPARED, Measured, metrics
from respmark.figures.metric import HIGHEST, metric
from respmark.report import columns, scenarios
from respmark.report.exports import to_csv, to_json
from respmark.report.html.page import page_data
from respmark.report.html.view import View
from respmark.report.report import Report
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run
from tests.report.reading import tables, values

KEY = "largest"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFigures]:
    column = columns.FigureColumn(KEY, "keys\nthat hit", "{} there")
    monkeypatch.setattr(scenarios, "COLUMNS", (*columns.COLUMNS, column))
    monkeypatch.setitem(columns.FACTS, columns.Section.WIRE, (columns.Fact(KEY, "found", "{} keys"),))
    entry = metric("keys", pl.lit(7), HIGHEST)
    Measured.model_fields[KEY] = FieldInfo.from_annotated_attribute(int, entry)
    Measured.model_rebuild(force=True)
    yield make_run(*laps("a", 2000), *laps("b", 1000))
    del Measured.model_fields[KEY]
    Measured.model_rebuild(force=True)


def test_every_output_has_a_new_metric(run: RunFigures) -> None:
    """The CSV as a column, JSON as a number, tables as a column, the page as a fact."""
    report = Report(run, SHIPPED.scenarios)
    header, row, _ = csv.reader(io.StringIO(to_csv(report.cells)))
    assert dict(zip(header, row, strict=True))[KEY] == "7"
    assert json.loads(to_json([report]))["runs"][0]["cells"][0]["measured"][KEY] == 7
    assert values(tables(report)["sync"][0], "keys that hit") == {"a": "7 there", "b": "7 there"}
    sections = dict(page_data(View(report), [])["cells"][0]["sections"])
    assert ["found", "7 keys"] in sections[columns.Section.WIRE]


def test_columns_and_facts_show_metrics_that_there_are() -> None:
    """Every key is one of the registry's, and every comparison has a heading and a column."""
    shown = {one.key for one in columns.COLUMNS if isinstance(one, columns.FigureColumn)}
    shown |= {fact.key for facts in columns.FACTS.values() for fact in facts}
    assert shown <= metrics().keys()
    ratios = [one.compared for one in columns.COLUMNS if isinstance(one, columns.RatioColumn)]
    assert set(ratios) == columns.RATIO_NAMES.keys() == COMPARED.keys()
