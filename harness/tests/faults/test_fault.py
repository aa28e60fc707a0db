"""The table of faults: made from the tests, each row once."""

from collections import Counter

from respmark.errors import ExitCode
from tests.faults.fault import PAGE, Area, Fault, all_faults, as_markdown, with_table


def test_each_fault_stands_once_and_says_everything() -> None:
    """A row without words would prove nothing."""
    rows = all_faults()
    assert [name for name, count in Counter(row.name for row in rows).items() if count > 1] == []
    assert all(row.name and row.injected for row in rows)


def test_every_area_has_faults() -> None:
    """None is left out of the table."""
    assert {row.area for row in all_faults()} == set(Area)


def test_a_row_of_the_table() -> None:
    """Words that Markdown would take for its own are shown as they are."""
    row = Fault("a", Area.DISK, "a | b", "no `space`", ExitCode.NOT_WRITTEN)
    assert as_markdown([row]).splitlines()[-1] == "| disk | a \\| b | …no `space`… | 5 |"


def test_the_page_has_the_table() -> None:
    """docs/security.md is made from the tests: `python -m tests.faults` writes it."""
    assert with_table(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8")
