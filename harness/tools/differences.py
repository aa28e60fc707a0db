"""Writes `docs/differences.md` from what clients' and runners' files say (`differs`): `make differences`.

A test fails when the page and a file disagree.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from respmark.cli.listing import cells
from respmark.contract.lines import Difference
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_row
from respmark.paths import CHECKOUT
from respmark.specs.catalogue import Catalogue

PAGE: Final = CHECKOUT / "docs" / "differences.md"
SECTION: Final = re.compile(r"^## (?P<library>\S+)\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
HEAD: Final = """# Differences from a plain install

Clients are measured as installed: the library with the packages that its README recommends for everyone (hiredis for
redis-py, libvalkey for valkey-py), in its default configuration. What its documentation leaves to the user, such as
Lettuce's native transport, is off. The tables list every exception, per library: what a trial cannot do without, and
what would measure the machine instead of the client. Anything else that users may set differently is a named option
of the library's `client.toml`, whose first value is the installed one.

`make differences` writes this page from `differs` in `client.toml` and in the language's `runner.toml`.
"""


def made(catalogue: Catalogue) -> dict[str, str]:
    """Return the sections that follow from files, by library."""
    return {
        spec.library: section(spec.library, (*spec.differs, *catalogue.runners[spec.runner].differs))
        for spec in catalogue.clients.values()
        if spec.capabilities.is_library
    }


def section(library: str, differences: Iterable[Difference]) -> str:
    """Return a library's section of the page."""
    rows = "".join(f"{markdown_row(map(escaped, cells(one)))}\n" for one in differences)
    head = "| setting | as installed | here | where | why |\n| --- | --- | --- | --- | --- |\n"
    return f"## {library}\n\n{head}{rows}"


def sections(page: Path = PAGE) -> dict[str, str]:
    """Return the sections of the existing page, by library."""
    found = SECTION.finditer(page.read_text(encoding="utf-8"))
    return {match["library"]: match[0].rstrip("\n") + "\n" for match in found}


def main() -> None:
    """Write the page."""
    found = made(Catalogue())
    PAGE.write_text("\n".join([HEAD, *(found[library] for library in sorted(found))]), encoding="utf-8")


if __name__ == "__main__":
    main()
