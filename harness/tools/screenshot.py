"""Takes the README's picture of the published run's page: `python -m tools.screenshot`, from harness/."""

from typing import Final

from respmark.paths import CHECKOUT
from tools.browser import chromium, opened
from tools.readme import PUBLISHED

PICTURE: Final = CHECKOUT / "docs" / "page.png"
HEIGHT: Final = 1240
"""In pixels: the answer is visible, what follows it is not."""


def main() -> None:
    """Write the picture."""
    address = (PUBLISHED / "report.html").as_uri()
    with chromium() as browser, opened(browser, address, viewport={"width": 1280, "height": HEIGHT}) as live:
        live.page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
