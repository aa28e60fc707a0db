"""The report as one page: HTML and style in one file that loads nothing and runs nothing."""

from collections.abc import Sequence
from typing import Final

from respmark.report.html.templates import filled
from respmark.report.table import Chapter
from respmark.triage.report import TriageReport

POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:"


def page(report: TriageReport, chapters: Sequence[Chapter]) -> str:
    """Return the page of a report that was made into these chapters."""
    return filled("triage.html.j2", report=report, head=chapters[0], chapters=chapters[1:], policy=POLICY)
