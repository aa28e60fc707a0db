"""docs/post.md: a published post remade, from a run of its suite."""

import shlex
from typing import Final

from respmark.report.changes import version_chapters
from respmark.report.guidance import verdict_chapters
from respmark.report.header import header_lines, versions_line
from respmark.report.post import post_chapters
from respmark.report.report import Report
from respmark.report.table import Chapter, Column, Table, row
from respmark.report.writers import markdown
from respmark.specs.post import PostSpec

HEAD: Final = """# The post, remade

Every point of the post's tables, measured again with today's versions and, where they can still be had, with the
versions that the post measured. `make readme` makes this page from the files of the run; no figure was typed. The run:
[{name}]({folder}), by `{command}`.

"""
ADVICE: Final = (
    "Each claim of the post against the run's own ratios, which only compare clients that took turns in one block. A "
    "verdict applies to this run's machine and target (docs/guidance.md)."
)
CHANGES: Final = "What five years changed"
"""From the versions that the post measured to today's."""
NO_CHANGES: Final = "The run has no library in two versions."


def post_page(spec: PostSpec, report: Report, folder: str, beside: Table | None = None) -> str:
    """Return the page in Markdown; `folder` is the run's folder, relative to the page; `beside` are other places."""
    versions = versions_line({cell.client: cell.versions for cell in report.cells if cell.versions})
    differences = tuple(row(one.what, one.there, one.why) for one in spec.differences)
    columns = tuple(Column(head, is_text=True) for head in ("", "in the post", "what that does to the figures"))
    chapters = [
        Chapter("", (*header_lines(report.manifest), f"loaded: {versions}")),
        Chapter("What differs, and why", tables=(Table("", columns, differences),)),
        Chapter("Does its advice hold?", (ADVICE,), (beside,) if beside else ()),
        *verdict_chapters(report.verdicts, 3),
        *(version_chapters(report.changes, CHANGES) or [Chapter(CHANGES, (NO_CHANGES,))]),
        *post_chapters(spec, report.cells, level=3),
    ]
    typed = shlex.join(report.manifest.command_line)
    head = HEAD.format(name=folder.removeprefix("../"), folder=folder, command=typed)
    return head + markdown(chapters)
