"""The report of a run: its answer on one screen, every client and figure, and all of it as one document."""

import shlex
from collections.abc import Iterable
from dataclasses import replace

from respmark.report.changes import place_chapters, version_chapters
from respmark.report.guidance import advice_chapters
from respmark.report.header import WARNING, alarms, short_header, versions_line
from respmark.report.notes import missing_notes
from respmark.report.report import Report
from respmark.report.scenarios import scenario_chapters
from respmark.report.series import timeline_chapters
from respmark.report.table import Chapter


def answer(report: Report, title: str | None = None) -> list[Chapter]:
    """Return what a screen shows of a run; with a title, of one that still goes on."""
    if report.kind.answer is not None:
        return report.kind.answer(report, title)
    tables = timeline_chapters(report.timelines) or [*_scenarios(report), *_missing(report)]
    return tables if title is None else [Chapter(title), *tables]


def summary(report: Report) -> list[Chapter]:
    """Return the answer, for a screen."""
    details = ("Every client and figure:", f"respmark report {shlex.quote(str(report.run.folder))} --details")
    more = [Chapter("", details)] if report.kind.answer or report.timelines else []
    return [Chapter("", short_header(report.manifest)), *answer(report), *more]


def detailed(report: Report) -> list[Chapter]:
    """Return every client and figure."""
    header = Chapter("", tuple(report.header))
    timelines = timeline_chapters(report.timelines)
    return [
        header,
        *first_chapters(report),
        *timelines,
        *place_chapters(report.cells),
        *report.kind.above(report),
        *_tables(report),
    ]


def document(report: Report) -> list[Chapter]:
    """Return everything."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    loaded = (f"loaded: {versions_line(versions)}",) if versions else ()
    lines = (*report.header, *loaded)
    title = f"respmark run {report.manifest.run_id}"
    first = answer(report) if report.kind.answer else timeline_chapters(report.timelines)
    return [Chapter(title, lines, level=1), *first_chapters(report), *below_header(first, report), *_tables(report)]


def below_header(chapters: Iterable[Chapter], report: Report) -> list[Chapter]:
    """Return chapters without the caveats that the run's header has told above them."""
    told = {line.removeprefix(WARNING) for line in alarms(report.manifest)}
    found = [(one, tuple(note for note in one.notes if note not in told)) for one in chapters]
    return [replace(one, notes=left) for one, left in found if left or not one.notes or one.tables or one.lines]


def first_chapters(report: Report) -> list[Chapter]:
    """Return what stands before the answer: of a suite made from published advice, whether that holds."""
    return advice_chapters(report.verdicts, report.kind) if report.manifest.suite.get("guidance") else []


def _tables(report: Report) -> list[Chapter]:
    return [
        *_scenarios(report),
        *(chapter for found in report.kind.below(report).values() for chapter in found),
        *version_chapters(report.changes),
        *([] if first_chapters(report) else advice_chapters(report.verdicts, report.kind)),
        *_missing(report),
    ]


def _scenarios(report: Report) -> list[Chapter]:
    if report.kind.tables is not None:
        return report.kind.tables(report)
    return scenario_chapters(report.cells, report.specs, report.sort, report.baseline)


def _missing(report: Report) -> list[Chapter]:
    return [Chapter("", notes=missing_notes(report.cells))]
