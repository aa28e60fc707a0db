"""Prints the table of all faults."""

from tests.faults.fault import all_faults, as_markdown

print(as_markdown(all_faults()), end="")
