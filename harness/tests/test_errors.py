"""One tree of exceptions, one meaning for each exit code, in the code, the help and the README."""

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Final

import respmark
from respmark import errors
from respmark.errors import MEANS, ExitCode
from respmark.paths import CHECKOUT

STAY_IN_THEIR_ROOM: Final = {
    "respmark.setup.host.Missing": "what set-up catches for each client, and tells",
    "respmark.setup.steps.CommandFailed": "the same, where a command failed: set-up remembers that of a version",
}
"""Exceptions outside the tree, and why no user sees one."""


def defined() -> Iterator[type[BaseException]]:
    for module in pkgutil.walk_packages(respmark.__path__, "respmark."):
        if module.name == "respmark.__main__":
            continue  # to import it is to run the command
        for _, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
            if issubclass(kind, BaseException) and kind.__module__ == module.name:
                yield kind


def test_every_exception_of_the_package_is_in_the_tree() -> None:
    """What it means and how the command ends stands on one page; the rest never leaves its room, and is named here."""
    outside = {f"{kind.__module__}.{kind.__qualname__}" for kind in defined() if kind.__module__ != errors.__name__}
    assert outside == set(STAY_IN_THEIR_ROOM)


def test_the_readme_and_the_code_have_the_same_exit_codes() -> None:
    """Each code has its row, which begins with what the help says; there are no others."""
    table = (CHECKOUT / "README.md").read_text(encoding="utf-8").partition("| exit code |")[2].partition("\n\n")[0]
    rows = {int(code): means for code, means in re.findall(r"^\| (\d+) \| (.+) \|$", table, re.MULTILINE)}
    assert rows.keys() == set(ExitCode) == MEANS.keys()
    for code, means in MEANS.items():
        assert rows[code].startswith(means), f"{code:d}: {rows[code]}"
