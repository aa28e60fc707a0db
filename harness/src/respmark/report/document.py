"""The reports of a run, as chapters: on one screen, in detail, and as a whole document."""

from typing import Final

from respmark.report.answer import answer
from respmark.report.guidance import advice_chapters
from respmark.report.header import header_lines, short_header, versions_line
from respmark.report.notes import missing_notes
from respmark.report.report import Report
from respmark.report.scenarios import scenario_chapters
from respmark.report.table import Chapter
from respmark.report.versions import version_chapters

DETAILS: Final = "Every client and figure: respmark report RUN --details"


def summary(report: Report) -> list[Chapter]:
    """Return the answer, for a screen."""
    return [Chapter("", short_header(report.manifest)), *answer(report), Chapter("", (DETAILS,))]


def detailed(report: Report) -> list[Chapter]:
    """Return every client and figure."""
    return [Chapter("", tuple(header_lines(report.manifest))), *_tables(report)]


def document(report: Report) -> list[Chapter]:
    """Return everything."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    loaded = [f"loaded: {versions_line(versions)}"] if versions else []
    title = f"respmark run {report.manifest.run_id}"
    first = Chapter(title, (*header_lines(report.manifest), *loaded), level=1)
    return [first, *answer(report), *_tables(report)]


def _tables(report: Report) -> list[Chapter]:
    return [
        *scenario_chapters(report.cells, report.specs, report.sort, report.baseline),
        *version_chapters(report.changes),
        *advice_chapters(report.verdicts),
        Chapter("", notes=missing_notes(report.cells)),
    ]
