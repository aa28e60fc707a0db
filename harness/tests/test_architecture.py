"""docs/architecture.md: what it names is there, it names every room, and each of its words has one name in the code."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import respmark
from respmark.paths import HARNESS, ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
STEPS = [
    line.split("|")[2]
    for line in PAGE.partition("## One trial")[2].partition("\n## ")[0].splitlines()
    if ".py`" in line
]
"""The second column of the walk."""
WORDS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("## Words")[2].partition("\n## ")[0].splitlines()
    if ".py`" in line and line.startswith("|")
]
"""Word, meaning, where it is defined, names that are not used."""
RETIRED = {name for row in WORDS for name in re.findall(r"`(\w+)`", row[3])} | {"words.py"}
SOURCES = [
    *(HARNESS / folder for folder in ("src", "tests", "tools", "bench")),
    *(ROOT / folder for folder in ("bootstrap", "python")),
]


@pytest.mark.parametrize("step", [*STEPS, *(row[2] for row in WORDS)])
def test_what_the_page_names_is_there(step: str) -> None:
    """A file, and behind it the functions of it that do the step, or the class that a word stands for."""
    module = None
    for word in re.findall(r"`([^`]+)`", step):
        if word.startswith("python/"):
            assert (ROOT / word).is_file(), word
        elif word.endswith(".py"):
            module = import_module(f"respmark.{word.removesuffix('.py').replace('/', '.')}")
        else:
            assert attrgetter(word)(module) is not None, word


def test_the_page_has_every_room_of_the_harness() -> None:
    """A folder that the table does not name would have no meaning for a newcomer."""
    house = PAGE.partition("## The house")[2].partition("\n## ")[0]
    columns = (line.split("|")[1] for line in house.splitlines() if line.startswith("| "))
    named = {name for column in columns for name in re.findall(r"`(\w+)`", column)}
    folders = {path.parent.name for path in Path(respmark.__path__[0]).glob("*/__init__.py")}
    assert folders <= named


def test_a_word_has_one_meaning() -> None:
    """It stands once in the list, and no name of the list is also one that is not used."""
    words = [row[0] for row in WORDS]
    assert len(words) == len(set(words))
    assert RETIRED.isdisjoint(re.findall(r"`(\w+)`", " ".join(row[2] for row in WORDS)))


def bound(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a file gives to something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def test_names_that_are_not_used_do_not_come_back() -> None:
    """Neither as a file's name nor as that of something in it."""
    assert len(RETIRED) > 1
    for folder in SOURCES:
        for path in folder.rglob("*.py"):
            names = {path.name, *bound(ast.parse(path.read_text(encoding="utf-8")))}
            assert names.isdisjoint(RETIRED), f"{path}: {sorted(names & RETIRED)}; see docs/architecture.md"


def test_the_walk_goes_from_the_command_line_to_the_tables() -> None:
    """It begins and ends where a reader does."""
    assert "`cli/run.py`" in STEPS[0]
    assert "`report/terminal.py`" in STEPS[-1]
