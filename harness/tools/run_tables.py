"""Tables of published runs on pages that say in words what was measured: a section for each run, from its files."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from respmark.kinds.reading import read
from respmark.micro.model import MICRO, MicroRun
from respmark.paths import CHECKOUT
from respmark.report.document import answer, below_header, first_chapters
from respmark.report.markdown import markdown
from respmark.report.micro import micro_chapters
from respmark.report.report import Report
from respmark.report.table import Chapter
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue
from tools.cluster_page import cluster_chapters
from tools.published import is_run
from tools.runs import run_list

RUNS: Final = CHECKOUT / "results" / "published"
DOCS: Final = CHECKOUT / "docs"


class Section(NamedTuple):
    """What a page shows of a run, between marks that have the run's name."""

    run: str
    page: str
    """Relative to docs/."""
    chapters: Callable[[Report], list[Chapter]] = answer
    """What the page shows of each kind of trial in it."""


SECTIONS: Final = (
    Section("tls", "costs.md"),
    Section("caching", "costs.md"),
    Section("memory", "costs.md"),
    Section("cold-start", "cold-start.md"),
    Section("micro-python", "micro.md"),
    Section("micro-java", "micro.md"),
    Section("micro-dotnet", "micro.md"),
    Section("faults", "faults.md"),
    Section("faults-claims", "faults.md"),
    Section("cluster", "cluster.md", cluster_chapters),
    Section("cluster-0.2ms", "cluster.md", cluster_chapters),
    Section("cluster-batches", "cluster.md"),
    Section("cluster-moves", "cluster.md"),
    Section("failover", "cluster.md"),
)


def sections_of(page: str, catalogue: Catalogue, runs: Path = RUNS) -> dict[str, str]:
    """Return the text of each section of a page, by the name of its marks."""
    return {one.run: f"\n{_text(runs / one.run, one.chapters, catalogue)}\n" for one in SECTIONS if one.page == page}


def pages() -> list[str]:
    """Return the pages that have such sections, each once."""
    return list(dict.fromkeys(one.page for one in SECTIONS))


def _text(folder: Path, shown: Callable[[Report], list[Chapter]], catalogue: Catalogue) -> str:
    if (folder / MICRO).is_file():
        run = read_model(folder / MICRO, MicroRun)
        return markdown(map(_lower, micro_chapters(run, catalogue.scenarios)))
    if not is_run(folder):
        return "Not measured yet.\n"
    reports = [Report.of(run, catalogue) for run in read(folder)]
    chapters = [Chapter("", tuple(reports[0].header))]
    for report in reports:
        chapters += first_chapters(report) or below_header(shown(report), report)
    return f"{run_list({os.path.relpath(folder, DOCS): reports[0]})}\n\n{markdown(map(_lower, chapters))}"


def _lower(chapter: Chapter) -> Chapter:
    """Return a chapter as a part of a page's section, which has its title already."""
    return replace(chapter, title="" if chapter.level == 1 else chapter.title, level=3)
