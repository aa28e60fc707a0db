"""A metric is one entry of the registry; every output is made from it."""

import csv
import io
import json
from collections.abc import Iterator

import pytest
from pydantic.fields import FieldInfo

from respmark.cli.report import POST, Format, Shown, render
from respmark.report.html.page import page
from respmark.results.store import Run
from respmark.statistics.cells import ReportCell, counted
from respmark.statistics.measured import COMPARED, Measured, metrics
from respmark.statistics.metric import HIGHEST, Fact, FactSection, TableColumn, metric
from respmark.statistics.rounds import round_of
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run
from tools.documented import documented
from tools.readme import metrics_table

KEY = "hits"


def rebuild() -> None:
    """Let pydantic see the fields anew."""
    Measured.model_rebuild(force=True)
    ReportCell.model_rebuild(force=True)


@pytest.fixture
def run() -> Iterator[Run]:
    """Return a run, while the registry has one more entry."""
    entry = metric(
        "keys",
        lambda one: one.totals.hits or 0,
        HIGHEST,
        column=TableColumn("keys\nthat hit", "{:,} there"),
        fact=Fact(FactSection.WIRE, "found", "{:,} keys"),
    )
    Measured.model_fields[KEY] = FieldInfo.from_annotated_attribute(int, entry)
    rebuild()
    yield make_run(*laps("a", 2000), *laps("b", 1000))
    del Measured.model_fields[KEY]
    rebuild()


def hits(run: Run) -> int:
    """Return what the entry gives to the first cell: the largest of its rounds."""
    rounds = [found for record in run.records if (found := round_of(record))]
    return max(one.totals.hits or 0 for one in rounds if one.record.client.name == "a")


def test_the_csv_has_it_as_its_last_column(run: Run) -> None:
    """Readers by position go on."""
    header, row, _ = csv.reader(io.StringIO(render([counted(run)], Format.CSV, Shown())))
    assert (header[-1], row[-1]) == (KEY, str(hits(run)))


def test_json_has_it(run: Run) -> None:
    """As a number."""
    cell, _ = json.loads(render([counted(run)], Format.JSON, Shown()))["runs"][0]["cells"]
    assert cell["measured"][KEY] == hits(run)


def test_tables_have_it(run: Run) -> None:
    """As a column."""
    text = render([counted(run)], Format.MARKDOWN, Shown())
    assert "| keys that hit |" in text
    assert f"| {hits(run):,} there |" in text


def test_the_page_has_it(run: Run) -> None:
    """Among the evidence of a cell."""
    assert f'["found","{hits(run):,} keys"]' in page(run, SHIPPED.scenarios, SHIPPED.post(POST))


@pytest.mark.usefixtures("run")
def test_the_documentation_has_it() -> None:
    """As a row of the table in docs/reading-results.md."""
    assert f"| `{KEY}` | keys | highest |" in metrics_table()


def test_every_entry_says_what_it_is() -> None:
    """Its docstring is its documentation."""
    assert set(Measured.model_fields) <= set(documented(Measured))


def test_no_two_entries_want_the_same_place_in_a_table() -> None:
    """Neither columns of figures nor those of ratios."""
    places = [one.column.place for one in metrics().values() if one.column]
    places += [compared.place for _, compared in COMPARED.values()]
    assert len(set(places)) == len(places)
