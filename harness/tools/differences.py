"""Writes `docs/differences.md` from what the runners that are installed say about themselves.

`make differences` writes it; the section of a library that is not installed stays as it is. A test fails when the page
and a runner disagree.
"""

import re
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from respmark.cli.listing import cells, descriptions
from respmark.contract.description import ClientDescription
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_row
from respmark.execute.local import LocalExecutor
from respmark.paths import ROOT
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.target.guardian import Guardian

PAGE: Final = ROOT / "docs" / "differences.md"
SECTION: Final = re.compile(r"^## (?P<library>\S+)\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
HEAD: Final = """# As installed, but for

Every client is measured as it is installed. What is otherwise stands here, for each library: what a trial could not do
without, or what would measure the machine in place of the client. What a user might set otherwise is an option with a
name (the files in `harness/specs/clients/`), and its first value is what is installed.

The tables are what the runners say of themselves (`describe`); `make differences` makes this page.
"""


def section(client: ClientDescription) -> str:
    """Return a library's section of the page."""
    rows = "".join(f"{markdown_row(map(escaped, cells(one)))}\n" for one in client.differences)
    head = "| setting | as installed | here | where | why |\n| --- | --- | --- | --- | --- |\n"
    return f"## {client.library}\n\n{head}{rows}"


def sections(page: Path = PAGE) -> dict[str, str]:
    """Return the sections of the existing page, by library."""
    if not page.exists():
        return {}
    found = SECTION.finditer(page.read_text(encoding="utf-8"))
    return {match["library"]: match[0].rstrip("\n") + "\n" for match in found}


def text(clients: Iterable[ClientDescription], before: dict[str, str]) -> str:
    """Return the page."""
    found = before | {client.library: section(client) for client in clients}
    return "\n".join([HEAD, *(found[library] for library in sorted(found))])


def main() -> None:
    """Write the page."""
    catalogue = Catalogue()
    with (
        closing(Guardian()) as guardian,
        LocalExecutor(catalogue.runners, guardian, clients=catalogue.every_client) as executor,
    ):
        PAGE.write_text(
            text(descriptions(find_clients("*", catalogue.clients), executor), sections()), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
