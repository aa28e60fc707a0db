"""The report of a run: its answer on one screen, every client and figure, and all of it as one document."""

import shlex

from respmark.report.answer import answer, is_about_memory
from respmark.report.changes import place_chapters, version_chapters
from respmark.report.connections import connection_chapters
from respmark.report.depths import depth_chapters
from respmark.report.guidance import advice_chapters
from respmark.report.header import header_lines, short_header, versions_line
from respmark.report.hosts import host_chapters
from respmark.report.load import load_chapters
from respmark.report.notes import missing_notes
from respmark.report.report import Report
from respmark.report.scaling import scaling_chapters
from respmark.report.scenarios import scenario_chapters
from respmark.report.series import timeline_chapters
from respmark.report.table import Chapter


def summary(report: Report) -> list[Chapter]:
    """Return the answer, for a screen."""
    details = ("Every client and figure:", f"respmark report {shlex.quote(str(report.run.folder))} --details")
    return [Chapter("", short_header(report.manifest)), *answer(report), Chapter("", details)]


def detailed(report: Report) -> list[Chapter]:
    """Return every client and figure."""
    header = Chapter("", tuple(header_lines(report.manifest)))
    timelines = timeline_chapters(report.timelines)
    return [
        header,
        *first_chapters(report),
        *timelines,
        *place_chapters(report.cells),
        *load_chapters(report.highest),
        *_tables(report),
    ]


def document(report: Report) -> list[Chapter]:
    """Return everything."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    loaded = (f"loaded: {versions_line(versions)}",) if versions else ()
    lines = (*header_lines(report.manifest), *loaded)
    title = f"respmark run {report.manifest.run_id}"
    return [Chapter(title, lines, level=1), *first_chapters(report), *answer(report), *_tables(report)]


def first_chapters(report: Report) -> list[Chapter]:
    """Return what stands before the answer: of a suite made from published advice, whether that holds."""
    return advice_chapters(report.verdicts) if report.manifest.suite.get("guidance") else []


def _tables(report: Report) -> list[Chapter]:
    return [
        *scenario_chapters(report.cells, report.specs, report.sort, report.baseline),
        *depth_chapters(report.run),
        *([] if is_about_memory(report.manifest) else connection_chapters(report.run)),
        *scaling_chapters(report.run),
        *host_chapters(report.run.trials, report.cells),
        *version_chapters(report.changes),
        *([] if first_chapters(report) else advice_chapters(report.verdicts)),
        Chapter("", notes=missing_notes(report.cells)),
    ]
