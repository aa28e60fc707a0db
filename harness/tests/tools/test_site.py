"""The documentation as a site: every link leads somewhere, and everybody can read it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from respmark.paths import CHECKOUT
from tests.report.html.browser import chromium
from tools import site

TELLING: tuple[str, ...] = ("index", "reading-results", "adding-a-client")
"""Pages with pictures, wide tables and code."""


@pytest.fixture(scope="module")
def html() -> Path:
    finished = subprocess.run(
        [sys.executable, "-m", "tools.site"], cwd=CHECKOUT / "harness", capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout
    return site.SITE / "html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def test_every_page_is_there_with_the_published_reports(html: Path) -> None:
    """Nothing is loaded from elsewhere; links to the repository's files name it."""
    names = {path.stem for path in html.glob("*.html")}
    assert set(site.pages().values()) <= names
    assert (html / "published" / "quick" / "report.html").is_file()
    assert 'href="published/quick/report.html"' in (html / "index.html").read_text()


@pytest.mark.parametrize("width", [1280, 420])
def test_axe_finds_nothing_in_its_pages_and_they_ask_for_nothing(html: Path, browser: Browser, width: int) -> None:
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page, asked = context.new_page(), list[str]()
    page.on("request", lambda request: None if request.url.startswith("file:") else asked.append(request.url))
    for name in TELLING:
        page.goto((html / f"{name}.html").as_uri())
        found = [f"{name}: {one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(page).response["violations"]]
        assert found == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert [one for one in asked if not one.startswith("data:")] == []
    context.close()


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
