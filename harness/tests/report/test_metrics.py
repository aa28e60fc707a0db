"""A metric is one entry of the registry; every output is made from it."""

import csv
import io
import json
from collections.abc import Iterator

import polars as pl
import pytest
from pydantic.fields import FieldInfo

from respmark.figures.cells import CountedRun, ReportCell
from respmark.figures.measured import Measured
from respmark.figures.metric import HIGHEST, Fact, FactSection, TableColumn, metric
from respmark.report.exports import to_csv, to_json
from respmark.report.html.page import page_data
from respmark.report.html.view import View
from respmark.report.report import Report
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run
from tests.report.reading import tables, values

KEY = "largest"


def rebuild() -> None:
    Measured.model_rebuild(force=True)
    ReportCell.model_rebuild(force=True)


@pytest.fixture
def run() -> Iterator[CountedRun]:
    fact, column = Fact(FactSection.WIRE, "found", "{} keys"), TableColumn("keys\nthat hit", "{} there")
    entry = metric("keys", pl.lit(7), HIGHEST, column=column, fact=fact)
    Measured.model_fields[KEY] = FieldInfo.from_annotated_attribute(int, entry)
    rebuild()
    yield make_run(*laps("a", 2000), *laps("b", 1000))
    del Measured.model_fields[KEY]
    rebuild()


def test_every_output_has_a_new_metric(run: CountedRun) -> None:
    """The CSV as a column, JSON as a number, tables as a column, the page as a fact."""
    report = Report(run, SHIPPED.scenarios)
    header, row, _ = csv.reader(io.StringIO(to_csv(report.cells)))
    assert dict(zip(header, row, strict=True))[KEY] == "7"
    assert json.loads(to_json([report]))["runs"][0]["cells"][0]["measured"][KEY] == 7
    assert values(tables(report)["sync"][0], "keys that hit") == {"a": "7 there", "b": "7 there"}
    sections = dict(page_data(View(report), [])["cells"][0]["sections"])
    assert ["found", "7 keys"] in sections[FactSection.WIRE]
