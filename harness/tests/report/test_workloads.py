"""A run of several workloads names each wherever it names a cell; a run of one names it above its tables only."""

import csv
import io
from dataclasses import replace

from respmark.report.answer import answer
from respmark.report.comparison import comparison
from respmark.report.csv import to_csv
from respmark.report.header import header_lines, short_header
from respmark.report.html.view import make_view
from respmark.report.report import make_report
from respmark.statistics.between import changes_between
from respmark.statistics.cells import cells_of
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run, planned_cell
from tests.report.reading import heads, reported, tables, values
from tools.summary import summary_markdown

RECORDS = [
    *(*laps("a", 2000), *laps("b", 1000)),
    *(*laps("a", 500, workload="mget"), *laps("b", 700, workload="mget")),
]
LABELS = ["workload tiny", "workload mget"]


def test_each_workload_has_a_table_of_its_own() -> None:
    """Under its name; ratios are of clients that did the same work."""
    tiny, mget = tables(reported(*RECORDS))["sync"]
    assert [tiny.title, mget.title] == LABELS
    assert list(values(tiny, "RPS").items()) == [("a", "2,000"), ("b", "1,000")]
    assert list(values(mget, "RPS").items()) == [("b", "700"), ("a", "500")]
    assert tables(reported(*laps("a", 2000)))["sync"][0].title == ""


def test_a_ratio_to_another_workload_says_so() -> None:
    """Of a block that compares workloads."""
    block = [one.model_copy(update={"block": "sizes"}) for one in RECORDS if one.client.name == "a"]
    _, mget = tables(reported(*block))["sync"]
    assert heads(mget)[2] == "RPS ratio to a, workload tiny"
    assert mget.rows[0][2].text.startswith("0.25 (")


def test_it_stands_in_headers_in_the_answer_on_the_page_and_in_comparisons() -> None:
    """As a part of the use's name."""
    run = make_run(*RECORDS)
    report = make_report(run, SHIPPED.scenarios)
    assert header_lines(run.manifest)[1:3] == ["workload tiny: for tests", "workload mget: mget for tests"]
    assert "workload tiny, mget, target" in short_header(run.manifest)[0]
    labels = [f"sync, {label}" for label in LABELS]
    assert [(use.title, use.rows[0][0].text) for use in answer(report)[0].tables] == list(
        zip(labels, "ab", strict=True)
    )
    assert "**sync**<br>workload mget" in summary_markdown(report.cells)
    rows = make_view(report).rows
    assert [row.label for row in rows] == labels
    assert [row.groups for row in rows] == [(label, label) for label in labels]
    changes = changes_between(run, run)
    assert [table.title for table in comparison(run.manifest, run.manifest, changes, [])[1].tables] == LABELS


def test_programs_read_the_workload_of_every_cell() -> None:
    """Also of one that the run did not reach."""
    run = make_run(*RECORDS)
    beyond = planned_cell(laps("c", 100, workload="mget")[0])
    run = replace(run, manifest=run.manifest.model_copy(update={"cells": [*run.manifest.cells, beyond]}))
    rows = list(csv.DictReader(io.StringIO(to_csv(cells_of(run)))))
    assert [(row["client"], row["workload"], row["baseline_workload"]) for row in rows] == [
        ("a", "tiny", ""),
        ("b", "tiny", "tiny"),
        ("a", "mget", ""),
        ("b", "mget", "mget"),
        ("c", "mget", ""),
    ]
