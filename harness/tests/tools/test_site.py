"""The documentation as a site: every link leads somewhere, and everybody can read it."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from respmark.paths import CHECKOUT
from tests.required import need_browser
from tools import site
from tools.browser import chromium

TELLING: tuple[str, ...] = ("index", "reading-results", "adding-a-client")
"""Pages with pictures, wide tables and code."""


@pytest.mark.timeout(600)
def test_the_site_has_every_page_and_everybody_can_read_it(tmp_path: Path) -> None:
    """With the published reports; axe finds nothing on a desk and on a phone; nothing is loaded from elsewhere.

    The search finds a client by its name.
    """
    need_browser()
    command = [sys.executable, "-m", "tools.site", str(tmp_path)]
    finished = subprocess.run(command, cwd=CHECKOUT / "harness", capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout
    html = tmp_path / "html"
    assert set(site.pages().values()) <= {path.stem for path in html.glob("*.html")}
    assert (html / "published" / "quick" / "report.html").is_file()
    assert 'href="published/quick/report.html"' in (html / "index.html").read_text()
    with chromium() as browser:
        found = [*problems(browser, html, 1280, TELLING), *problems(browser, html, 420, TELLING[:1])]
        titles = found_by_search(browser, html, "jedis")
    assert found == []
    assert "Differences from a plain install > jedis" in titles


def problems(browser: Browser, html: Path, width: int, axed: Collection[str]) -> list[str]:
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page, found = context.new_page(), list[str]()
    page.set_default_timeout(120_000)
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else found.append(request.url)
    )
    for name in TELLING:
        page.goto((html / f"{name}.html").as_uri())
        violations = Axe().run(page).response["violations"] if name in axed else []
        found += [f"{name} at {width}: {one['id']}: {one['nodes'][0]['html']}" for one in violations]
        if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            found.append(f"{name} is wider than {width}")
    context.close()
    return found


def found_by_search(browser: Browser, html: Path, words: str) -> list[str]:
    page = browser.new_page()
    page.goto(f"{(html / 'search.html').as_uri()}?q={words}")
    page.get_by_text("Search finished").wait_for()
    titles = page.locator("#search-results li a").all_inner_texts()
    page.close()
    return titles


def test_examples_of_workflows_name_the_repository_that_builds_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork's site shows the fork's name, without a change to any file."""
    monkeypatch.setenv("GITHUB_REPOSITORY", "somebody/a-fork")
    source = site.Source(tmp_path)
    source.write()
    page = (tmp_path / "ci-of-a-client.md").read_text()
    assert "uses: somebody/a-fork@v" in page
    assert "uses: somebody/a-fork/action/comment@v" in page


def test_a_broken_link_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a file, by the tool itself; links in code are no links."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("[b](b.md#x) [c](../c.txt)\n```\n[d](d.md)\n```\n")
    (tmp_path / "docs" / "b.md").write_text("# x\n")
    monkeypatch.setattr(site, "CHECKOUT", tmp_path)
    monkeypatch.setattr(site, "ELSEWHERE", {})
    source = site.Source(tmp_path / "source")
    source.write()
    assert source.broken == ["docs/a.md: there is no c.txt"]
    assert (tmp_path / "source" / "a.md").read_text().startswith("[b](b.md#x) [c](../c.txt)")
