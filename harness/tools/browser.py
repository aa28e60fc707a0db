"""A real Chromium, with the network off, that takes down whatever the page says or asks for."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
DRAWN: Final = "body[data-drawn]"
DRAWN_MS: Final = 60_000
"""Charts are drawn one after the other, on a machine that may be busy."""


@dataclass
class Opened:
    """A page, and what it did that it should not."""

    page: Page
    said: list[str] = field(default_factory=list)
    """Errors and warnings of its console, and exceptions."""
    asked: list[str] = field(default_factory=list)
    """Addresses that it asked for, its own left out."""

    def settle(self) -> None:
        """Wait until everything is drawn for what is chosen."""
        drawing = self.run("drawing")
        self.page.wait_for_selector(f"body[data-drawn='{drawing}']", timeout=DRAWN_MS)

    def run(self, script: str) -> Any:  # noqa: ANN401 - what JavaScript returns
        """Return the value of an expression."""
        return self.page.evaluate(script)


def program() -> str | None:
    """Return the browser's program, if there is one."""
    named = os.environ.get("RESPMARK_CHROMIUM")
    return named or next(filter(None, map(shutil.which, PROGRAMS)), None)


NO_BROWSER: Final = f"no browser: none of {', '.join(PROGRAMS)} is on PATH; install Debian's package chromium"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start it; raises FileNotFoundError if there is none."""
    if (found := program()) is None:
        raise FileNotFoundError(NO_BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Opened]:  # noqa: ANN401 - Playwright's
    """Open a page, and wait until everything on it is drawn."""
    context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}} | options)
    page = context.new_page()
    page.set_default_timeout(DRAWN_MS)
    found = Opened(page)
    page.on("console", lambda message: found.said.append(message.text))
    page.on("pageerror", lambda error: found.said.append(str(error)))
    own = address.partition("#")[0]
    page.on("request", lambda request: None if _is_own(request.url, own) else found.asked.append(request.url))
    page.goto(address)
    page.wait_for_selector(DRAWN, timeout=DRAWN_MS)
    found.settle()
    yield found
    context.close()


def _is_own(url: str, own: str) -> bool:
    return url.partition("#")[0] == own or url == "data:,"
