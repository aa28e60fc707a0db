"""docs/findings/: what searches among a library's releases found, a page per library, from the published runs.

A published folder `findings-<name>` is a run of `respmark versions` or a search of `respmark bisect`. What a release
changed, as its change log or its source shows it, stands in docs/findings/changes.toml.
"""

import os
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from respmark.bisect.words import Searched, answer_lines, explanation, interval, sizes
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_table
from respmark.figures.series import Point, Series
from respmark.kinds.loops.kind import LOOPS
from respmark.paths import CHECKOUT
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.picture import picture, svg
from respmark.report.html.view import View
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.report.series import label_of, largest_step, short_steps, timeline_chapters
from respmark.report.table import Chapter, Heading, Listing, Table, row
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue
from respmark.specs.versions import begins_with
from tools.page_answers import as_list
from tools.publish import PREFIX, PUBLISHED, SEARCHES
from tools.published import run_in
from tools.series import newest_of, no_step, other_load, rounds_of, series_header, whole_in_short, whole_series

PUBLISHED_RUNS: Final = CHECKOUT / PUBLISHED
PAGES: Final = CHECKOUT / "docs" / "findings"
INDEX: Final = "README.md"
CHANGES: Final = "changes.toml"
BY_HAND: Final = frozenset({CHANGES, "large-values.md"})
"""Files in docs/findings/ that nothing makes."""
SEARCH_FILE: Final = "bisect.json"
HEAD: Final = """# {library}: which releases made it slower or faster

{answer}

The releases took turns on one machine, so their figures are on one scale ([versions](../versions.md),
[bisect](../bisect.md)). Of each minor version, the newest release was measured: what changed in it may have come with
any release of that minor version. `make readme` makes this page from the files of the runs; no figure was typed.

"""
INDEX_HEAD: Final = """# Which releases made clients slower or faster

`make publish` measures these searches among the other published runs ([publishing](../publishing.md)): one of them with
`make publish ARGS="findings-jedis-pool --minutes 20"`. Each leaves its run in `results/published/`, from which
`make readme` makes these pages.

"""
INDEX_FOOT: Final = """
A figure is a release's throughput, or its client CPU per command, divided by that of the release before the arrow. A
release is the newest of its minor version. Only significant changes are listed (Holm over each search), and those under
5 % are counted where there are larger ones: a change smaller than the width that is given may be there all the same.
Other load is what other programs used during the slices. The pages have every change, intervals, and what explains a
change.

What large values cost depends on what a process did before: [large values](large-values.md).
"""
INDEX_HEADINGS: Final = (
    "search",
    "of",
    "from one release to the next",
    "the newest to the oldest",
    "rounds",
    "other load",
)
NAMED_FROM: Final = 1.05
"""A summary names steps of this factor and more, if there are any, and counts the smaller ones."""
NOT_YET: Final = "not published yet"
WITHDRAWN: Final = "withdrawn: its page says why"
REPRODUCE: Final = "The command that measured it"
Changes = Mapping[str, Mapping[str, str]]
"""What releases changed, by library and by version, or by how the version begins."""


class Finding(NamedTuple):
    """A published search."""

    name: str
    """Of its folder, without the beginning that all of them share."""
    folder: Path
    content: Report | Searched

    @property
    def library(self) -> str:
        """Return the library whose releases were compared; empty: the run is no series of releases."""
        if isinstance(self.content, Searched):
            return self.content.library
        return next((one.cell.library for one in self.content.timelines), "")

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Return the releases in which something changed, from the oldest to the newest, and by how much."""
        if isinstance(self.content, Searched):
            return [(self.content.name(one.step.newer), sizes(one, self.content, LOOPS)) for one in self.content.steps]
        return [(one.label, short_steps(one)) for one in self.releases if one.steps]

    @property
    def releases(self) -> list[Point]:
        """Return the releases of a series, from the oldest to the newest."""
        return [] if isinstance(self.content, Searched) else [one for of in self.content.timelines for one in of.points]

    def name_of(self, version: str) -> str:
        """Return a release as sentences name it: in a series, it stands for its minor version."""
        return version if isinstance(self.content, Searched) else newest_of(version)

    @property
    def summary(self) -> str:
        """Return what changed from which release to which, or how small a change could still be."""
        if isinstance(self.content, Searched):
            return "; ".join(f"{version}: {text}" for version, text in self.steps) or "none"
        changed = [one for one in self.releases if one.steps]
        named = [one for one in changed if largest_step(one) >= NAMED_FROM] or changed
        texts = [f"{one.before} → {one.label}: {short_steps(one)}" for one in named]
        smaller = len(changed) - len(named)
        return "; ".join([*texts, *([f"{smaller} smaller"] if smaller else [])]) or no_step(self.releases)

    @property
    def command(self) -> str:
        """Return the command that measured it."""
        content = self.content
        return shlex.join(content.command_line if isinstance(content, Searched) else content.manifest.command_line)


def findings_in(published: Path, catalogue: Catalogue) -> list[Finding]:
    """Return the published searches; those that `make publish` has come first, in its order."""
    order = [f"{PREFIX}{one.name}" for one in SEARCHES]
    folders = [path for path in published.glob(f"{PREFIX}*") if path.is_dir()]
    folders.sort(key=lambda path: (order.index(path.name) if path.name in order else len(order), path.name))
    return [Finding(path.name.removeprefix(PREFIX), path, _read(path, catalogue)) for path in folders]


def _read(folder: Path, catalogue: Catalogue) -> Report | Searched:
    if (folder / SEARCH_FILE).is_file():
        return read_model(folder / SEARCH_FILE, Searched)
    return Report.of(run_in(folder), catalogue)


def findings_files(
    catalogue: Catalogue,
    withdrawn: Container[str],
    published: Path = PUBLISHED_RUNS,
    pages: Path = PAGES,
) -> dict[Path, str]:
    """Return the text of every file in docs/findings/ that is made: the index, and a page with pictures per library.

    Args:
        catalogue: Shipped specs.
        withdrawn: Names of runs whose figures do not stand: the index has none of them.
        published: The folder of published runs.
        pages: Where the pages go.
    """
    changes: Changes = tomllib.loads((pages / CHANGES).read_text(encoding="utf-8"))
    of_library: defaultdict[str, list[Finding]] = defaultdict(list)
    found = [one for one in findings_in(published, catalogue) if one.library]
    for one in found:
        of_library[one.library].append(one)
    drawn = {one.name: drawing for one in found if (drawing := _picture(one))}
    made = {pages / f"{name}.svg": drawing for name, drawing in drawn.items()}
    for library, those in of_library.items():
        made[pages / f"{library}.md"] = _page(library, those, changes.get(library, {}), drawn, pages)
    return {pages / INDEX: _index(found, withdrawn), **made}


def _picture(finding: Finding) -> str:
    """Return the releases as a picture; empty where there is no scale, or only the answers of a search."""
    content = finding.content
    if isinstance(content, Searched) or not any(one.control for one in content.timelines):
        return ""
    return svg(picture(View(content), ChartKey.RELEASES)) + "\n"


def _page(
    library: str, findings: Sequence[Finding], changes: Mapping[str, str], drawn: Iterable[str], pages: Path
) -> str:
    parts = [HEAD.format(library=library, answer=as_list(map(_answer, findings)).strip())]
    every = [series for one in findings if not isinstance(one.content, Searched) for series in one.content.timelines]
    for one in findings:
        image = f"![the releases as ratios to one of them, with intervals]({one.name}.svg)" if one.name in drawn else ""
        parts += [markdown(_chapters(one, every)), image, _source(one, pages)]
    parts.append(_changed(findings, changes))
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _answer(finding: Finding) -> str:
    """Return what a search found: the newest release against the oldest, and from which to which it changed."""
    content = finding.content
    whole = "" if isinstance(content, Searched) else "; ".join(filter(None, map(whole_in_short, content.timelines)))
    return f"{finding.name}: {f'{whole}. From one release to the next: ' if whole else ''}{finding.summary}."


def _source(finding: Finding, pages: Path) -> str:
    folder = os.path.relpath(finding.folder, pages)
    return f"The run: [{finding.folder.name}]({folder})."


def _chapters(finding: Finding, every: Sequence[Series]) -> Iterator[Chapter]:
    content = finding.content
    listings = (Listing(REPRODUCE, finding.command),)
    if isinstance(content, Searched):
        title = f"{content.library} in {content.use}, searched by {LOOPS.words(content.metric)}"
        lines = (*content.setting, *map(str.strip, answer_lines(content, LOOPS)))
        yield Chapter(title, lines, (_questions(content),), (explanation(content, LOOPS),), listings=listings)
        return
    title = ", ".join(label_of(one, every) for one in content.timelines)
    whole = [sentence for one in content.timelines if (sentence := whole_series(one))]
    whole += [] if finding.steps else [f"steps: {no_step(finding.releases)}"]
    for chapter in timeline_chapters(content.timelines, title):
        notes = (*whole, *chapter.notes)
        yield Chapter(chapter.title, series_header(content), chapter.tables, notes, listings=listings)


def _questions(searched: Searched) -> Table:
    columns = (
        Heading("question"),
        Heading("from", is_text=True),
        Heading("to", is_text=True),
        Heading(LOOPS.words(searched.metric)),
        Heading("rounds"),
        Heading("answer", is_text=True),
    )
    rows = tuple(
        row(
            str(question.number),
            searched.name(one.older),
            searched.name(one.newer),
            interval(one.ratio, one.low, one.high),
            str(one.rounds),
            str(one.answer),
        )
        for question in searched.found.questions
        for one in question.differences
    )
    return Table("what was asked", columns, rows)


def _changed(findings: Iterable[Finding], changes: Mapping[str, str]) -> str:
    """Return what the releases changed in which something was found, as far as changes.toml says."""
    names = {version: one.name_of(version) for one in findings for version, _ in one.steps}
    told = [
        f"- {escaped(name)}: {text}"  # Markdown itself: it has links
        for version, name in names.items()
        for prefix, text in changes.items()
        if begins_with(version, prefix)
    ]
    return "\n".join(["\n## What these releases changed\n", *told, ""]) if told else ""


def _index(findings: Iterable[Finding], withdrawn: Container[str]) -> str:
    """Return the page that lists the searches, with what they found."""
    published = {one.name: one for one in findings}
    uses = {one.name: f"{one.library} from {one.first} to {one.last}: `{one.use}`" for one in SEARCHES}
    uses |= {one.name: f"`{one.command}`" for one in published.values() if one.name not in uses}
    rows = [_row(name, use, published.get(name), withdrawn) for name, use in uses.items()]
    return INDEX_HEAD + markdown_table(INDEX_HEADINGS, rows) + INDEX_FOOT


def _row(name: str, use: str, finding: Finding | None, withdrawn: Container[str]) -> list[str]:
    found = [_link(name, finding), use]
    if finding is None:
        return [*found, NOT_YET, "", "", ""]
    if finding.folder.name in withdrawn:
        return [*found, WITHDRAWN, "", "", ""]
    content = finding.content
    if isinstance(content, Searched):
        return [*found, escaped(finding.summary), "", "", ""]
    whole = "; ".join(filter(None, map(whole_in_short, content.timelines)))
    return [*found, escaped(finding.summary), escaped(whole), rounds_of(content.cells), other_load(content)]


def _link(name: str, finding: Finding | None) -> str:
    return name if finding is None else f"[{name}]({finding.library}.md)"
