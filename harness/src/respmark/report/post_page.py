"""A published post remade: the page that is made from a run of its suite."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from respmark.escaping import markdown
from respmark.guidance.verdict import JudgedClaim
from respmark.report.guidance_text import verdicts_markdown
from respmark.report.header import header_lines, versions_line
from respmark.report.markdown import scenario_markdown
from respmark.report.post import post_report
from respmark.report.post_curves import curves, curves_markdown
from respmark.report.post_text import grid_markdown
from respmark.report.versions import versions_table
from respmark.specs.post import Difference, PostSpec
from respmark.statistics.cells import CountedRun, ReportCell, cells_of
from respmark.statistics.versions import version_changes

HEAD: Final = """# The post, remade

Every point of the post's tables, measured again with today's versions and, where they can still be had, with the
versions that the post measured. `make readme` makes this page from the files of the run; no figure was typed. {how}
"""
ADVICE: Final = """## Does its advice hold?

Each claim of the post against the run's own ratios, which only compare clients that took turns in one block. A verdict
applies to this run's machine and target ([how verdicts are made](guidance.md)).
"""
FIGURES: Final = """Each curve of the post, over the rows that were measured: the run's commands per second divided by
the post's, lowest to highest; the last row's figure divided by the first row's, here and in the post; and what limited
the client here, from the first row to the last. Where a curve rises less than the post's, the last column says what
limited it.
"""
CHANGES: Final = "What five years changed"
"""From the versions that the post measured to today's."""


def post_page(spec: PostSpec, run: CountedRun, verdicts: Sequence[JudgedClaim], folder: str) -> str:
    """Return the page; `folder` is the run's folder, relative to the page."""
    cells = cells_of(run)
    report = post_report(spec, cells, header_lines(run.manifest))
    how = (
        f"The run: [{folder.removeprefix('../')}]({folder}), by `respmark run {spec.suite} --laps {run.manifest.laps}`."
    )
    parts = [
        HEAD.format(how=how),
        "\n".join(f"- {markdown(line)}" for line in (*report.header, _loaded(cells))) + "\n",
        "## What differs, and why\n",
        "\n".join(_differences(spec.differences)) + "\n",
        FIGURES,
        curves_markdown(curves(spec, cells)),
        ADVICE,
        verdicts_markdown(verdicts, "###"),
        _changes(run),
        "## The tables\n",
        *(grid_markdown(grid, "###") for grid in report.grids),
    ]
    return "\n".join(parts)


def _loaded(cells: Iterable[ReportCell]) -> str:
    return f"loaded: {versions_line({cell.client: cell.versions for cell in cells if cell.versions})}"


def _differences(differences: Iterable[Difference]) -> Iterator[str]:
    for one in differences:
        yield f"- **{markdown(one.what)}**. In the post: {markdown(one.there)}. {markdown(one.why)}"


def _changes(run: CountedRun) -> str:
    table = versions_table(version_changes(run.blocks, run.manifest.looks), CHANGES)
    if table is None:
        return f"## {CHANGES}\n\nThe run has no library in two versions.\n"
    return scenario_markdown(table)
