"""Builds the documentation as a site, `.build/site/html`: `make site`. A broken link fails.

The Markdown files are pages as they are. Links between them lead from page to page (Sphinx checks the headings), links
to published pages to a copy of these, and links to other files to the repository, RESPMARK_REPOSITORY; by default the
checkout. The site needs no network.
"""

import io
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

from respmark import __version__
from respmark.paths import CHECKOUT

SITE: Final = CHECKOUT / ".build" / "site"
REPOSITORY: Final = "RESPMARK_REPOSITORY"
"""Names where the repository's files can be read, at the commit of the site."""
NAME: Final = "GITHUB_REPOSITORY"
"""Has the repository's name in a workflow: owner and name."""
NAMELESS: Final = "OWNER/respmark"
"""Stands for it in examples of workflows, which a fork need not change: its own site has its own name."""
MENU: Final = {
    "Start": ("setup", "specs", "reading-results", "measuring", "cluster", "load", "containers", "hosts", "security"),
    "Versions": ("versions", "bisect", "findings"),
    "In CI": ("ci-of-a-client", "history"),
    "Results": (
        "clients",
        "guidance",
        "practices",
        "faults",
        "post",
        "network",
        "servers",
        "costs",
        "cold-start",
        "benchmark-mistakes",
    ),
    "Trust": ("honesty", "statistics", "conformance", "differences"),
    "Extend": (
        "adding-a-client",
        "contract",
        "architecture",
        "micro",
        "contributing",
        "publishing",
        "releasing",
        "changelog",
    ),
}
"""The pages of each part of the menu; all others are in a last one."""
MORE: Final = "More"
ELSEWHERE: Final = {
    "README.md": "index",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "harness/contract.md": "contract",
    "docs/findings/README.md": "findings",
}
"""Pages that do not lie in docs/."""
FINDINGS: Final = "findings"
"""The folder in docs/ with a page for each library whose releases were searched; its first page has its name."""
FENCED: Final = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"(?<=\]\()(?P<path>(?!\w+:|#)[^)\s#]+)(?P<heading>#[^)\s]*)?(?=\))")
PICTURES: Final = {".svg", ".png"}
SCHEMES: Final = ("http", "https", "mailto")


def pages() -> dict[Path, str]:
    """Return every page's file, relative to the checkout, and the page's name."""
    docs = CHECKOUT / "docs"
    own = {Path("docs", path.name): path.stem for path in sorted(docs.glob("*.md"))}
    libraries = sorted(path for path in (docs / FINDINGS).glob("*.md") if path.name != "README.md")
    found = {path.relative_to(CHECKOUT): f"{FINDINGS}-{path.stem}" for path in libraries}
    return {Path(path): name for path, name in ELSEWHERE.items()} | own | found


NAVIGATION: Final = "navigation.html"
EVERY_PAGE: Final = """<nav class="bd-links" aria-label="Pages">
{{ toctree(includehidden=True, titles_only=True, collapse=False) }}
</nav>
"""
"""What stands beside each page."""


class Source:
    """The folder from which Sphinx makes the site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages = pages()
        self.broken: list[str] = []
        """Links to files that do not exist, and where they stand."""

    def write(self) -> None:
        """Write all pages, with the menu in the first."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for path, name in self.pages.items():
            text = "".join(self._rewritten(part, path) for part in FENCED.split((CHECKOUT / path).read_text("utf-8")))
            menu = "\n".join(_menu(self.pages.values())) if name == "index" else ""
            (self.folder / f"{name}.md").write_text(f"{text}\n{menu}", encoding="utf-8")
        (self.folder / NAVIGATION).write_text(EVERY_PAGE, encoding="utf-8")

    def _rewritten(self, text: str, page: Path) -> str:
        if text.startswith("```"):
            return text.replace(NAMELESS, os.environ.get(NAME) or NAMELESS)
        return LINK.sub(lambda found: self._target(found, page), text)

    def _target(self, found: re.Match[str], page: Path) -> str:
        path, heading = Path(os.path.normpath(page.parent / found["path"])), found["heading"] or ""
        if path in self.pages:
            return f"{self.pages[path]}.md{heading}"
        if not (CHECKOUT / path).exists():
            self.broken.append(f"{page}: there is no {path}")
            return found[0]
        if path.suffix in PICTURES:
            shutil.copy(CHECKOUT / path, self.folder)
            return path.name
        is_published = path.suffix == ".html" and path.is_relative_to("results/published")
        return f"site:{path.relative_to('results')}" if is_published else f"repo:{path}{heading}"


def _menu(names: Collection[str]) -> Iterator[str]:
    placed = {"index", *chain.from_iterable(MENU.values())}
    parts = {caption: [one for one in part if one in names] for caption, part in MENU.items()}
    parts[MORE] = [one for one in names if one not in placed]
    for caption, part in parts.items():
        yield from ("```{toctree}", ":hidden:", f":caption: {caption}", "", *part, "```", "") if part else ()


def build(site: Path = SITE) -> list[str]:
    """Build the site, and return what is wrong with it."""
    source, html = Source(site / "source"), site / "html"
    source.write()
    shutil.rmtree(html, ignore_errors=True)
    said = io.StringIO()
    app = Sphinx(
        srcdir=source.folder,
        confdir=None,
        outdir=html,
        doctreedir=site / "doctrees",
        buildername="html",
        confoverrides=configuration(source.folder),
        status=None,
        warning=said,
        freshenv=True,
    )
    app.build(force_all=True)
    for page in (CHECKOUT / "results" / "published").glob("*/report.html"):
        copy = html / page.relative_to(CHECKOUT / "results")
        copy.parent.mkdir(parents=True)
        shutil.copy(page, copy)
    return [*source.broken, *said.getvalue().splitlines()]


def configuration(templates: Path) -> dict[str, object]:
    """Return Sphinx's configuration; `templates` is the folder of ours."""
    repository = os.environ.get(REPOSITORY) or CHECKOUT.as_uri()
    return {
        "project": "respmark",
        "release": __version__,
        "root_doc": "index",
        "extensions": ["myst_parser"],
        "myst_heading_anchors": 4,
        "myst_url_schemes": {
            **dict.fromkeys(SCHEMES),
            "site": "{{path}}",
            "repo": f"{repository}/{{{{path}}}}#{{{{fragment}}}}",
        },
        # Headings may skip a level, and code be of a language that is not known here.
        "suppress_warnings": ["myst.header", "misc.highlighting_failure"],
        "html_theme": "pydata_sphinx_theme",
        "html_title": "respmark",
        "html_sidebars": {"**": [NAVIGATION]},  # the theme's own has nothing on pages of the first level
        "templates_path": [str(templates)],
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "html_theme_options": {
            "navbar_end": ["theme-switcher"],
            "navbar_center": [],
            "header_links_before_dropdown": 5,
            "secondary_sidebar_items": ["page-toc"],
            "footer_start": ["copyright"],
            "footer_end": [],
            "show_prev_next": False,
        },
    }


def main(words: Sequence[str]) -> int:
    """Build the site, in another folder if one is named, and print what is wrong with it."""
    folder = Path(words[0]) if words else SITE
    problems = build(folder)
    for problem in problems:
        print(problem)
    print(f"site: {len(problems)} problems" if problems else f"site: {folder / 'html' / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
