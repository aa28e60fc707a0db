"""docs/post.md: a published post remade, from the runs of its suite."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from respmark.kinds.loops.kind import LOOPS
from respmark.report.changes import version_chapters
from respmark.report.guidance import verdict_chapters
from respmark.report.header import header_lines, versions_line
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.table import Chapter, Heading, Table, row
from respmark.results.manifest import Manifest
from respmark.specs.statements import Place
from tools.post import PostSpec
from tools.post_tables import post_chapters
from tools.verdicts import PLACES, Judged, counts_line, in_place, verdicts_chapter

HEAD: Final = """# The post, remade

{answer}
The points of the post's tables, measured again with the versions that are installed here and, where they can still be
had, with the versions that the post measured. `make readme` makes this page from the files of the runs; no figure was
typed. The runs:

{runs}

"""
RUN: Final = "- [{name}]({folder}), {place}, by `{command}`\n"
ADVICE: Final = (
    "Each claim of the post, judged on the post's workload from the published runs in which both sides of its "
    "comparisons took turns, behind a network as the post's clients were, and on one machine. Of several runs, the one "
    "with most rounds counts, which may be of another machine than the tables below. A verdict applies to its machine "
    "and versions (docs/guidance.md says how it is reached, and where runs differ most)."
)
CHANGES: Final = "What five years changed"
"""From the versions that the post measured to those that are installed."""
NO_CHANGES: Final = "The run has no library in two versions."


def post_page(spec: PostSpec, reports: Mapping[str, Report], judged: Sequence[Judged]) -> str:
    """Return the page; `reports` are by their folders, relative to the page, the one nearest to the post first."""
    differences = tuple(row(one.what, one.there, one.why) for one in spec.differences)
    columns = tuple(Heading(head, is_text=True) for head in ("", "in the post", "what that does to the figures"))
    chapters = [
        *(Chapter(place_of_run(one.manifest), _about(one), level=3) for one in reports.values()),
        Chapter("What differs, and why", tables=(Table("", columns, differences),)),
        Chapter("Does its advice hold?", (ADVICE,)),
        verdicts_chapter(judged),
        *_details(judged),
        *_changes(reports),
        *post_chapters(spec, {place_of_run(one.manifest): one.cells for one in reports.values()}, level=3),
    ]
    answer = counts_line(judged, "the post's claims", "does-its-advice-hold")
    return HEAD.format(answer=answer, runs="".join(_run(*one) for one in reports.items()).strip()) + markdown(chapters)


def place_of_run(manifest: Manifest) -> str:
    """Return where a run's clients were, as headings name it."""
    trips = {cell.shape.rtt_ms for cell in manifest.cells}
    return (
        PLACES[Place.LOCAL]
        if trips == {None}
        else ", ".join(f"behind {trip:g} ms" for trip in sorted(filter(None, trips)))
    )


def _run(folder: str, report: Report) -> str:
    typed = shlex.join(report.manifest.command_line)
    return RUN.format(
        name=folder.removeprefix("../"), folder=folder, place=place_of_run(report.manifest), command=typed
    )


def _about(report: Report) -> tuple[str, ...]:
    versions = versions_line({cell.client: cell.versions for cell in report.cells if cell.versions})
    return (*header_lines(report.manifest), f"loaded: {versions}")


def _details(judged: Sequence[Judged]) -> list[Chapter]:
    """Return every comparison of the claims that were measured, in each place."""
    found: list[Chapter] = []
    for where in (Place.NETWORK, Place.LOCAL):
        if claims := in_place(judged, where):
            *chapters, _ = verdict_chapters(claims, LOOPS, 4)
            found += [Chapter(f"Each comparison, {PLACES[where]}", level=3), *chapters]
    return found


def _changes(reports: Mapping[str, Report]) -> list[Chapter]:
    found: list[Chapter] = []
    for report in reports.values():
        title = f"{CHANGES}, {place_of_run(report.manifest)}"
        found += version_chapters(report.changes, title) or [Chapter(title, (NO_CHANGES,))]
    return found
