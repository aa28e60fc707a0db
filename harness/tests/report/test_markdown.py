"""The Markdown of reports."""

import re

from syrupy.assertion import SnapshotAssertion

from respmark.report.markdown import markdown
from respmark.report.tables import Report, make_report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run, unmeasured


def cells_in(line: str) -> int:
    """Return how many cells a line of a table has for a reader of Markdown."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def test_every_line_of_a_table_has_as_many_cells_as_its_head(report: Report) -> None:
    """Whatever stands in a cell, a bar among it, the table stays one."""
    for table in re.findall(r"(?:^\|.*\n)+", markdown(report), re.MULTILINE):
        assert len({cells_in(line) for line in table.splitlines()}) == 1


def test_the_star_of_a_note_is_a_star(report: Report) -> None:
    """A star after a dash would begin a list within the list, and the mark in the table would lead nowhere."""
    assert "9,000 \\*" in markdown(report)
    assert "- \\* from fewer rounds" in markdown(report)


def test_the_whole_document(report: Report, snapshot: SnapshotAssertion) -> None:
    """The Markdown of the run by hand is as it was."""
    assert markdown(report) == snapshot


def test_a_run_that_loaded_nothing_says_nothing_of_versions() -> None:
    """Where every client is missing there is no half sentence."""
    run = make_run(unmeasured(Status.MISSING, "npm: not found"))
    text = markdown(make_report(run, SHIPPED.scenarios))
    assert "lib is missing: npm: not found" in text
    assert "Loaded: ." not in text
