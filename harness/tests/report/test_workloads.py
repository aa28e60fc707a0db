"""A run of several workloads names each wherever it names a cell; a run of one names it above its tables only."""

from respmark.report.answer import answer
from respmark.report.comparison import comparison
from respmark.report.header import header_lines, short_header
from respmark.report.html.view import make_view
from respmark.report.report import make_report
from respmark.statistics.between import changes_between
from respmark.statistics.cells import counted
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run
from tools.summary import summary_markdown

RECORDS = [
    *(*laps("a", 2000), *laps("b", 1000)),
    *(*laps("a", 500, workload="mget"), *laps("b", 700, workload="mget")),
]
LABELS = ["workload tiny", "workload mget"]


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
    changes = changes_between(counted(run), counted(run))
    assert [table.title for table in comparison(run.manifest, run.manifest, changes, [])[1].tables] == LABELS
