"""Runs programs in Python, Node, Go and PHP against four servers, sick and healthy ones, and writes what triage finds.

    cd harness && ../.build/harness/bin/python -m tools.triage_loads [--seconds 3] [--server redis@6.2 ...]

The table stands in docs/triage.md. Takes some minutes a server; languages and servers as `respmark setup` brings them.
"""

import re
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import cyclopts

from respmark import paths
from respmark.escaping import markdown_table
from respmark.machine.guardian import Guardian
from respmark.specs.catalogue import Catalogue
from respmark.triage.findings import RuleJudge
from respmark.triage.gains import NO_GAINS
from respmark.triage.rules import rules_of
from tools.triage_loads.mixes import MIXES, SERVERS, findings_of, said, started

PAGE: Final[Path] = paths.CHECKOUT / "docs" / "triage.md"


BETWEEN: Final = re.compile(r"(?<=<!-- tried: begin -->\n).*?(?=<!-- tried: end -->)", re.DOTALL)


def main(*, seconds: float = 3.0, server: tuple[str, ...] = SERVERS, only: str = "") -> None:
    """Run the loads, and write what was found into the table.

    Args:
        seconds: How long each is watched.
        server: Only these servers.
        only: Only loads whose name contains this.
    """
    catalogue = Catalogue()
    judge = RuleJudge(rules_of(catalogue), NO_GAINS, catalogue.clients)
    cells = _cells(PAGE.read_text())
    for name in server:
        with closing(Guardian()) as guardian, started(name, guardian) as endpoint:
            for mix in (one for one in MIXES if only in one.name):
                cells[mix.name, name] = said(mix, findings_of(mix, endpoint, judge, seconds))
                sys.stderr.write(f"{name}: {mix.name}: {cells[mix.name, name]}\n")
    PAGE.write_text(BETWEEN.sub(lambda _: _table(cells), PAGE.read_text()))


def _cells(page: str) -> dict[tuple[str, str], str]:
    """Return the table's cells by load and server."""
    found = BETWEEN.search(page)
    rows = (
        [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[0].split("\n") if line]
        if found
        else []
    )
    heads = rows[0] if rows else []
    return {(row[0], head): cell for row in rows[2:] for head, cell in zip(heads[1:], row[1:], strict=True)}


def _table(cells: Mapping[tuple[str, str], str]) -> str:
    heads = ["load", *SERVERS]
    rows = ([mix.name, *(cells.get((mix.name, server), "") for server in SERVERS)] for mix in MIXES)
    return f"\n{markdown_table(heads, rows)}\n"


if __name__ == "__main__":
    cyclopts.run(main)
