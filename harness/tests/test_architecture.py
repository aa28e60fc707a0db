"""docs/architecture.md: what it names is there, and it names every package."""

import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import respmark
from respmark.paths import CHECKOUT

PAGE = (CHECKOUT / "docs" / "architecture.md").read_text()
STEPS = [
    line.split("|")[2]
    for line in PAGE.partition("## One trial")[2].partition("\n## ")[0].splitlines()
    if line.startswith("|") and ".py`" in line
]
"""The second column of the walk."""


@pytest.mark.parametrize("step", STEPS)
def test_what_the_page_names_is_there(step: str) -> None:
    """A file, and behind it the functions and classes of it that do the step."""
    module = None
    for word in re.findall(r"`([^`]+)`", step):
        if word.endswith(".py"):
            module = import_module(f"respmark.{word.removesuffix('.py').replace('/', '.')}")
        else:
            assert attrgetter(word)(module) is not None, word


def test_the_page_has_every_package_of_the_harness() -> None:
    """A folder that the table does not name would have no meaning for a newcomer."""
    packages = PAGE.partition("## Folders and packages")[2].partition("\n## ")[0]
    columns = (line.split("|")[1] for line in packages.splitlines() if line.startswith("| "))
    named = {name for column in columns for name in re.findall(r"`(\w+)`", column)}
    folders = {path.parent.name for path in Path(respmark.__path__[0]).glob("*/__init__.py")}
    assert folders <= named


def test_no_code_but_the_option_asks_whether_it_is_dask() -> None:
    """Runners on hosts are reached through `Host`, whatever carries the calls."""
    sources = Path(respmark.__path__[0]).rglob("*.py")
    assert [path.name for path in sources if "Way.DASK" in path.read_text()] == ["via.py"]


def test_no_test_module_imports_another() -> None:
    """What they share is in modules of its own, so that a test can go without its neighbours."""
    folder = Path(__file__).parent
    other = re.compile(r"^\s*from tests(?:[\w.]*\.test_\w+ import|[\w.]* import .*\btest_\w+)", re.MULTILINE)
    assert [path.name for path in folder.rglob("*.py") if other.search(path.read_text())] == []
