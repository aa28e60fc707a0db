"""The page in a real browser, from the disk, with the network off."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.hostile import hostile_run
from tests.report.html.runs import MARKUP, loaded_run, page_of
from tests.required import need_browser
from tools.browser import Opened, chromium, opened
from tools.readme import PUBLISHED

SHOWN_CLIENTS = (
    "[...document.querySelectorAll('#cells thead th')].filter(one => !one.hidden).slice(1)"
    ".map(one => one.querySelector('.name').textContent)"
)
SHOWN_ROWS = (
    "[...document.querySelectorAll('#cells tbody tr')].filter(one => !one.hidden)"
    ".map(one => one.querySelector('.use').textContent)"
)
DRAWN_CHARTS = (
    "[...document.querySelectorAll('figure')].filter(one => one.querySelector('.chart svg'))"
    ".map(one => one.dataset.chart).map(number => data.charts[number].key)"
)

BROKEN_WORDS = """(() => {
  const broken = [];
  for (const cell of document.querySelectorAll("td, th")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1) broken.push(word);
      }
    }
  }
  return broken;
})()"""
SCROLLED = (
    "[document.documentElement, ...document.querySelectorAll('#answer *')]"
    ".filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth"
    " && (one.matches('html') || getComputedStyle(one).overflowX !== 'visible') && !one.matches('.hidden, thead'))"
    ".map(one => one.outerHTML.slice(0, 80))"
)
TALLER = (
    "[...document.querySelectorAll('#answer .scroll')].filter(one => one.scrollHeight > one.clientHeight + 1).length"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    need_browser()
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def whole(browser: Browser, address: str) -> Iterator[Opened]:
    with opened(browser, address) as found:
        yield found


@pytest.fixture
def live(whole: Opened) -> Iterator[Opened]:
    whole.run("change(beginning())")
    whole.settle()
    yield whole
    assert (whole.said, whole.asked) == ([], [])


def mark(live: Opened, row: int, client: str) -> tuple[str, str]:
    cell = (
        f"[...document.querySelectorAll('#cells tbody tr[data-row=\"{row}\"] button[data-cell]')]"
        f".find(b => data.clients[data.cells[b.dataset.cell].client].name === '{client}')"
    )
    return live.run(f"{cell}.querySelector('i span').textContent"), live.run(f"{cell}.className")


def findings(live: Opened) -> list[str]:
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(live.page).response["violations"]]


def test_everything_is_drawn(live: Opened) -> None:
    """Every chart that the chosen use has."""
    assert live.run(DRAWN_CHARTS) == ["forest", "frontier", "latency", "laps"]
    live.page.select_option("#row", label="batching, depth 100")
    live.settle()
    assert live.run(DRAWN_CHARTS) == ["forest", "frontier", "depth", "latency", "laps"]


def test_charts_of_load_are_of_what_is_chosen(browser: Browser, tmp_path: Path) -> None:
    """Rows that differ in round trip alone are one chart by round trip, and two by depth."""
    path = tmp_path / "loaded.html"
    path.write_text(page_of(loaded_run()), encoding="utf-8")
    with opened(browser, path.as_uri()) as found:
        found.page.select_option("#row", label="batching, depth 10, round trip 1 ms")
        found.settle()
        assert {"depth", "round-trips"} < set(found.run(DRAWN_CHARTS))
        groups = "[...new Set(charts.flatMap(one => chosen(one).map(value => value.group)))].filter(one => one)"
        assert found.run(groups) == ["batching, round trip 1 ms", "batching"]
        assert (found.said, found.asked) == ([], [])


def test_filters_hide_columns_and_rows(live: Opened) -> None:
    """By language, client and scenario, in charts too; the address says so."""
    live.page.uncheck('input[name="language"][value="Java"]')
    live.page.uncheck('input[name="client"][value="slow"]')
    live.page.uncheck('input[name="scenario"][value="pool"]')
    live.settle()
    assert live.run(SHOWN_CLIENTS) == ["redis-py", "phpredis"]
    assert not any("pool" in row for row in live.run(SHOWN_ROWS))
    assert live.run("new Set(chosen(charts[1]).map(value => value.client)).size") == 2
    assert "2 of 5 clients" in live.run("document.getElementById('status').textContent")
    assert "language=Python&language=PHP" in live.run("location.hash")
    live.page.click('#filters button[type="reset"]')
    assert len(live.run(SHOWN_CLIENTS)) == 5
    assert live.run("location.hash") == ""


def test_a_client_that_is_clicked_becomes_the_baseline(live: Opened) -> None:
    """Colours and ratios follow; a tie has none."""
    assert mark(live, 0, "jedis")[1] == "better"
    live.page.click("#cells .client:has-text('jedis')")
    live.settle()
    assert mark(live, 0, "jedis") == ("baseline", "baseline")
    assert mark(live, 0, "lettuce")[1] == "level"
    text, kind = mark(live, 0, "phpredis")
    assert kind == "worse"
    assert text.startswith("▼ 0.5")
    assert "baseline=jedis" in live.run("location.hash")
    assert live.run("chosen(charts[0]).find(v => v.client === 'jedis').known") == "baseline"


@pytest.mark.parametrize("width", [1280, 820, 420])
def test_the_answer_is_read_without_scrolling_and_no_word_is_broken(browser: Browser, width: int) -> None:
    """On a desk and on a phone: numbers, names and headings of every table, and the answer as a whole."""
    with opened(browser, (PUBLISHED / "report.html").as_uri(), viewport={"width": width, "height": 900}) as found:
        assert found.run(BROKEN_WORDS) == []
        assert found.run(SCROLLED) == []
        assert found.run(TALLER) == 0
        assert findings(found) == []


def test_panels_without_figures_are_not_shown(live: Opened) -> None:
    """No chart is empty, and the closed loops of this run have no ratios of response times."""
    visible = "[...document.querySelectorAll('figure')].filter(one => !one.hidden)"
    assert live.run(f"{visible}.length") == len(live.run(DRAWN_CHARTS))
    assert live.run("new Set(chosen(charts[0]).map(value => value.metric)).size") == 3


def test_evidence_opens_and_closes_by_keyboard(live: Opened) -> None:
    """Arrow keys walk through the matrix, Enter opens, Escape closes and gives the focus back."""
    live.page.focus("#cells .client")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        live.page.keyboard.press(key)
    assert live.run("document.getElementById('evidence-title').textContent") == "jedis: sync"
    text = live.run("document.getElementById('evidence').textContent")
    assert "round 1: jedis--sync--round=1" in text
    assert "a difference is shown" in text
    assert findings(live) == []
    live.page.keyboard.press("Escape")
    live.page.wait_for_selector("#evidence:not([open])", state="attached")
    assert live.run("document.activeElement.dataset.cell") == "2"


@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 400, "height": 800}}],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    options: dict[str, Any], browser: Browser, address: str
) -> None:
    """In both schemes, and on a phone."""
    with opened(browser, address, **options) as found:
        assert findings(found) == []
        assert found.run("document.documentElement.scrollWidth <= innerWidth")
        assert (found.said, found.asked) == ([], [])


def test_a_hostile_run_does_nothing(browser: Browser, tmp_path: Path) -> None:
    """No script of its words runs, nothing is loaded, and its evidence shows them as text."""
    path = tmp_path / "hostile.html"
    path.write_text(page_of(hostile_run("".join(MARKUP))), encoding="utf-8")
    with opened(browser, path.as_uri()) as found:
        found.page.click("#cells [data-cell='0']")
        assert "<img src=x onerror=alert(1)>" in found.run("document.getElementById('evidence').textContent")
        found.page.click("#evidence .close")
        assert found.run("document.querySelectorAll('img, iframe, object, svg [href]').length") == 0
        assert (found.said, found.asked) == ([], [])
