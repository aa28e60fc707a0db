"""docs/architecture.md walks a trial through the code; every file and name in it is there."""

import re
from importlib import import_module
from operator import attrgetter

import pytest

from respmark.paths import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
STEPS = [
    line.split("|")[2]
    for line in PAGE.partition("## One trial")[2].partition("\n## ")[0].splitlines()
    if ".py`" in line
]
"""The second column of the walk."""


@pytest.mark.parametrize("step", STEPS)
def test_what_the_walk_names_is_there(step: str) -> None:
    """A file, and behind it the functions of it that do the step."""
    module = None
    for word in re.findall(r"`([^`]+)`", step):
        if word.startswith("python/"):
            assert (ROOT / word).is_file(), word
        elif word.endswith(".py"):
            module = import_module(f"respmark.{word.removesuffix('.py').replace('/', '.')}")
        else:
            assert callable(attrgetter(word)(module)), word


def test_the_walk_goes_from_the_command_line_to_the_tables() -> None:
    """It begins and ends where a reader does."""
    assert "`cli/run.py`" in STEPS[0]
    assert "`report/terminal.py`" in STEPS[-1]
