"""A run of several workloads: whatever shows a cell says which workload it has."""

import csv
import io

from respmark.report.answer import answer
from respmark.report.comparison import comparison_tables, run_line
from respmark.report.csv import to_csv
from respmark.report.header import header_lines
from respmark.report.html.view import make_view
from respmark.report.notes import in_shape
from respmark.report.summary import summary_markdown
from respmark.report.tables import ScenarioTable, make_report
from respmark.results.store import Run
from respmark.statistics.between import changes_between
from respmark.statistics.cells import cells_of, counted
from tests.builders.plan import SHIPPED
from tests.builders.records import laps, make_run, planned_cell

RECORDS = [
    *(*laps("a", 2000), *laps("b", 1000)),
    *(*laps("a", 500, workload="mget"), *laps("b", 700, workload="mget")),
]


def only_table(run: Run) -> ScenarioTable:
    """Return the table of the run's only scenario."""
    (table,) = make_report(run, SHIPPED.scenarios).tables
    return table


def test_each_workload_has_a_table_of_its_own() -> None:
    """Under its name; ratios are of clients that did the same work."""
    table = only_table(make_run(*RECORDS))
    assert [block.label for block in table.blocks] == ["workload tiny", "workload mget"]
    assert [[(row.subject, row.values[0]) for row in block.rows] for block in table.blocks] == [
        [("a", "2,000"), ("b", "1,000")],
        [("b", "700"), ("a", "500")],
    ]
    assert [block.columns[1].head for block in table.blocks] == ["RPS ratio\nto a"] * 2


def test_a_run_of_one_workload_names_it_above_its_tables_only() -> None:
    """There is nothing to tell apart."""
    run = make_run(*laps("a", 2000), *laps("b", 1000))
    assert [block.label for block in only_table(run).blocks] == [""]
    assert {cell.workload for cell in cells_of(run)} == {"tiny"}


def test_a_ratio_to_another_workload_says_so() -> None:
    """Of a block that compares workloads."""
    block = [one.model_copy(update={"block": "sizes"}) for one in RECORDS if one.client.name == "a"]
    _, mget = only_table(make_run(*block)).blocks
    assert mget.columns[1].head == "RPS ratio\nto a, workload tiny"
    assert mget.rows[0].values[1].startswith("0.25 (")


def test_every_workload_stands_above_the_tables() -> None:
    """Those that cells have; where there are many, the summary counts the rest."""
    run = make_run(*RECORDS)
    assert header_lines(run.manifest)[1:3] == ["workload tiny: for tests", "workload mget: mget for tests"]
    found = answer(make_report(run, SHIPPED.scenarios))
    assert "workload tiny, mget, target" in found.header[0]
    assert "workload tiny, mget, target" in run_line(run.manifest)
    others = make_run(*(one for one in RECORDS if one.workload == "mget"))
    assert header_lines(others.manifest)[1] == "workload mget: mget for tests"


def test_the_summary_has_the_fastest_of_each_workload() -> None:
    """Who is fast with one need not be with another."""
    found = answer(make_report(make_run(*RECORDS), SHIPPED.scenarios))
    assert [(best.label, best.lines[0].client) for best in found.uses] == [
        ("sync, workload tiny", "a"),
        ("sync, workload mget", "b"),
    ]
    assert "**sync**<br>workload mget" in summary_markdown(cells_of(make_run(*RECORDS)))


def test_where_not_all_fit_a_screen_the_suites_own_workload_stands_for_the_others() -> None:
    """The summary says what it leaves out."""
    names = [None, *(f"w{number}" for number in range(40))]
    records = [one for name in reversed(names) for one in laps("a", 1000, workload=name)]
    found = answer(make_report(make_run(*records), SHIPPED.scenarios))
    assert [best.label for best in found.uses] == ["sync, workload tiny"]
    assert "Not shown here: sync, workload w39; sync, workload w38; " in " ".join(found.legend)


def test_programs_read_the_workload_of_every_cell() -> None:
    """Also of one that the run did not reach."""
    run = make_run(*RECORDS)
    beyond = planned_cell(laps("c", 100, workload="mget")[0])
    run = Run(run.folder, run.manifest.model_copy(update={"cells": [*run.manifest.cells, beyond]}), run.records)
    rows = list(csv.DictReader(io.StringIO(to_csv(cells_of(run)))))
    assert [(row["client"], row["workload"], row["baseline_workload"]) for row in rows] == [
        ("a", "tiny", ""),
        ("b", "tiny", "tiny"),
        ("a", "mget", ""),
        ("b", "mget", "mget"),
        ("c", "mget", ""),
    ]


def test_the_page_has_a_row_for_each_workload() -> None:
    """Charts of depth and threads do not join what differs in the workload."""
    view = make_view(make_run(*RECORDS), SHIPPED.scenarios)
    assert [row.label for row in view.rows] == ["sync, workload tiny", "sync, workload mget"]
    assert [row.groups for row in view.rows] == [["sync, workload tiny"] * 2, ["sync, workload mget"] * 2]
    assert [[place.column.name for place in row.places] for row in view.rows] == [["a", "b"]] * 2


def test_two_runs_are_compared_workload_by_workload() -> None:
    """The same cell of both."""
    run = make_run(*RECORDS)
    (table,) = comparison_tables(changes_between(counted(run), counted(run)))
    assert [block.label for block in table.blocks] == ["workload tiny", "workload mget"]


def test_notes_on_a_cell_name_its_workload() -> None:
    """Behind its client's name."""
    assert [in_shape(cell) for cell in cells_of(make_run(*RECORDS))][::2] == [" (workload tiny)", " (workload mget)"]
