"""How quickly the report of a large run responds: from the event to the next frame, in a real Chromium.

    cd harness && ../.build/harness/bin/python -m bench.interactions --trials 10000
    cd harness && ../.build/harness/bin/python -m bench.interactions --trials 10000 --more cells

The page is that of `bench.page`. Each interaction is performed several times, once the page has settled. The browser's
own Event Timing reports how long it took until the change was on the screen (in steps of 8 ms; less than 16 ms is shown
as 16). Charts are drawn after that, one after another: the time until the last one is drawn is printed beside it.
"""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cyclopts
from playwright.sync_api import Page

from bench.page import More, made_run
from respmark.report.html.page import page
from respmark.report.report import Report
from respmark.specs.catalogue import Catalogue
from tests.report.html.browser import Opened, chromium, opened

TIMES: Final = 5
SHORTEST_MS: Final = 16
"""What Event Timing does not report is shorter than this."""
OBSERVE: Final = """
window.slowest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.slowest = Math.max(window.slowest, duration);
}).observe({ type: "event", durationThreshold: 16 });
"""
FRAMES: Final = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


def _nth(page: Page, selector: str, turn: int) -> None:
    found = page.locator(f"{selector}:visible")
    found.nth(turn % found.count()).click()


def _pick(page: Page, selector: str) -> None:
    """Select the next option with the keyboard, as a reader would: Event Timing leaves out what a script selects."""
    page.focus(selector)
    last = page.locator(f"{selector} option").count() - 1
    page.keyboard.press("Home" if page.locator(selector).evaluate("one => one.selectedIndex") == last else "ArrowDown")


INTERACTIONS: Final[dict[str, Callable[[Page, int], None]]] = {
    "filter by language": lambda page, turn: _nth(page, 'input[name="language"]', turn),
    "filter by client": lambda page, turn: _nth(page, 'input[name="client"]', turn),
    "filter by scenario": lambda page, turn: _nth(page, 'input[name="scenario"]', turn),
    "another baseline": lambda page, turn: _nth(page, "#cells .client", turn + 1),
    "sort by a use": lambda page, turn: _nth(page, "#cells .use", turn),
    "another metric": lambda page, _: _pick(page, 'select[name="by"]'),
    "another use in the charts": lambda page, _: _pick(page, "#row"),
    "open the evidence of a cell": lambda page, turn: _nth(page, "#cells button[data-cell]:not(.none)", turn),
    "close the evidence": lambda page, _: page.keyboard.press("Escape"),
    "move with an arrow key": lambda page, _: page.keyboard.press("ArrowDown"),
}


def main(*, trials: int = 10_000, more: More = More.ROUNDS) -> None:
    """Measure each interaction."""
    catalogue = Catalogue()
    run = made_run(trials, more)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder, "report.html")
        path.write_text(page(Report(run, catalogue.scenarios)), encoding="utf-8")
        print(f"{len(run.trials):,} trials, a page of {path.stat().st_size / 1e6:.1f} MB")
        with opened(browser, path.as_uri()) as found:
            found.run(OBSERVE)
            for name, act in INTERACTIONS.items():
                answered, settled = zip(*(_timed(found, name, act, turn) for turn in range(TIMES)), strict=True)
                slowest = max(answered)
                print(f"{name:<28} {slowest:4.0f} ms at most, charts {statistics.median(settled):5.0f} ms", flush=True)


def _timed(found: Opened, name: str, act: Callable[[Page, int], None], turn: int) -> tuple[float, float]:
    """Return the milliseconds until the next frame, and until the last chart is drawn."""
    found.run("change(beginning())")
    if name == "close the evidence":
        found.run("change({ cell: 0 })")
    elif name == "move with an arrow key":
        found.page.locator("#cells .client:visible").first.focus()
    found.settle()
    found.run(FRAMES)
    found.run("window.slowest = 0, window.began = performance.now()")
    act(found.page, turn)
    found.settle()
    settled = found.run("performance.now() - window.began")
    found.run(FRAMES)
    return max(SHORTEST_MS, found.run("window.slowest")), settled


if __name__ == "__main__":
    cyclopts.run(main)
