"""Writes the table of all faults into docs/security.md, and prints it."""

from tests.faults.fault import PAGE, all_faults, as_markdown, with_table

PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
print(as_markdown(all_faults()), end="")
