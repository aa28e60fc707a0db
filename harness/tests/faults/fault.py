"""A fault, what the user sees of it, and all faults as one table.

A test of a fault is decorated with `proves(...)`, which each file calls `fault` with its area and the exit code that
most of its rows have, and takes the row as `fault`; `fault.check(finished)` holds what a command left against it.
`python -m tests.faults` prints the table.
"""

import importlib
import pkgutil
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

import pytest

import tests.faults
from respmark.errors import ExitCode
from respmark.escaping import markdown
from respmark.paths import ROOT


class Area(StrEnum):
    """Where a fault is injected."""

    TARGET = "target"
    RUNNER = "runner"
    SPEC = "spec"
    RESULTS = "result files"
    DISK = "disk"
    NETWORK = "network"
    SIGNAL = "signals"
    COMMAND = "command line"


class Ended(Protocol):
    """A command that has ended, as any fixture gives it."""

    @property
    def code(self) -> int:
        """Return its exit code."""

    @property
    def output(self) -> str:
        """Return its standard output."""

    @property
    def errors(self) -> str:
        """Return its standard error."""


@dataclass(frozen=True)
class Fault:
    """One row."""

    name: str
    area: Area
    injected: str
    """What is done to the system."""
    seen: str
    """Words that the user reads, as they are printed; empty: nobody can, or there is nothing to say."""
    exit_code: ExitCode

    def check(self, ended: Ended) -> None:
        """Assert that the user sees what the table says, and no stack trace."""
        said = " ".join(f"{ended.errors} {ended.output}".split())
        assert "Traceback" not in said, said
        assert ended.code == self.exit_code, said
        assert self.seen in said, said


ROWS: Final[list[Fault]] = []
PAGE: Final = ROOT / "docs" / "security.md"
BEGIN: Final = "<!-- faults: begin -->"
END: Final = "<!-- faults: end -->"


def row(name: str, injected: str, seen: str, *, area: Area, exit_code: ExitCode) -> Fault:
    """Return a row, which from now on is in the table."""
    ROWS.append(Fault(name, area, injected, seen, exit_code))
    return ROWS[-1]


def proves(name: str, injected: str, seen: str, *, area: Area, exit_code: ExitCode) -> pytest.MarkDecorator:
    """Make a test the proof of a row, which it takes as `fault`."""
    fault = row(name, injected, seen, area=area, exit_code=exit_code)
    return pytest.mark.parametrize("fault", [fault], ids=[name.replace(" ", "-")])


def all_faults() -> list[Fault]:
    """Return every row of every test file of this folder, by area."""
    for module in pkgutil.iter_modules(tests.faults.__path__):
        if module.name.startswith("test_"):
            importlib.import_module(f"tests.faults.{module.name}")
    return sorted(set(ROWS), key=lambda row: (list(Area).index(row.area), row.name))


def as_markdown(rows: list[Fault]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| area | fault | what the user sees | exit code |", "| --- | --- | --- | ---: |"]
    for row in rows:
        seen = f"\N{HORIZONTAL ELLIPSIS}{row.seen}\N{HORIZONTAL ELLIPSIS}" if row.seen else "nothing"
        cells = (row.area, row.injected, seen, str(int(row.exit_code)))
        lines.append(f"| {' | '.join(map(markdown, cells))} |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """Return the page with the table of all faults between its marks."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{as_markdown(all_faults())}{END}{after}"
