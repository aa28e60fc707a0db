"""The report as one page: HTML and style in one file that loads nothing and runs nothing."""

from collections.abc import Sequence
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from respmark.report.html.page import prose
from respmark.report.html.view import PAGE, harmless
from respmark.report.table import Chapter
from respmark.triage.report import TriageReport

POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:"


def page(report: TriageReport, chapters: Sequence[Chapter]) -> str:
    """Return the page of a report that was made into these chapters."""
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=harmless,
    )
    environment.filters["prose"] = prose
    return environment.get_template("triage.html.j2").render(
        report=report,
        head=chapters[0],
        chapters=chapters[1:],
        policy=POLICY,
        style=Markup((PAGE / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    )
