"""Clients of a user's own: folders that lie anywhere, named on the command line, in a suite or by RESPMARK_CLIENTS."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from respmark import paths
from respmark.errors import InvalidRequestError, SpecError
from respmark.specs.builds import OWN_BUILD
from respmark.specs.names import Name

LANGUAGE: Final = "language"
"""The key of its client.toml that names the folder of its language; a client of the checkout lies in that."""


def own_client(library: str) -> Path | None:
    """Return the folder of the user's that has a client of this name; None: it is a client of the checkout."""
    return next((folder for folder in paths.own_clients() if folder.name == library), None)


def language_of(path: Path, content: dict[str, Any]) -> str:
    """Take the language out of what a client.toml outside the checkout says; raises SpecError if it names none."""
    language = content.pop(LANGUAGE, None)
    if not isinstance(language, str):
        languages = ", ".join(sorted(path.parent.name for path in paths.sources().glob("*/runner.toml")))
        raise SpecError(path, f"`{LANGUAGE}` is missing: outside the checkout, name one of {languages}")
    return language


def check_free(folders: Iterable[Path], taken: Iterable[str]) -> None:
    """Check that each client of the user's own has a name that no other has; raises InvalidRequestError otherwise."""
    known: dict[str, Path | None] = dict.fromkeys(taken)
    for folder in folders:
        if folder.name in known:
            other = known[folder.name]
            there = "a client of respmark" if other is None else str(other)
            raise InvalidRequestError(
                f"{folder} and {there} have the same name, `{folder.name}`, by which tables tell clients apart: "
                "give your client's folder another name"
            )
        known[folder.name] = folder


def named(names: Iterable[str], beside: Path | None = None) -> list[str]:
    """Return clients' names; a folder in front becomes its library's name, and is known from now on in this process.

    Paths begin at `beside`, or at the working folder.
    """
    return [_named(name, beside or Path()) for name in names]


def _named(name: str, beside: Path) -> str:
    found = Name.of_client(name)
    if found is None:
        return name
    build = Path(found.version.removeprefix(OWN_BUILD)).expanduser()
    if found.version.startswith(OWN_BUILD) and beside != Path() and not build.is_absolute():
        found = replace(found, version=f"{OWN_BUILD}{os.path.relpath(beside / build)}")
    if not found.is_folder:
        return str(found)
    folder = (beside / Path(found.base).expanduser()).resolve()
    if not (folder / "client.toml").is_file():
        raise InvalidRequestError(f"`{name}` is not a client's folder: {folder} has no client.toml")
    known = [str(one) for one in paths.own_clients()]
    os.environ[paths.OWN_CLIENTS] = os.pathsep.join(dict.fromkeys([*known, str(folder)]))
    return str(replace(found, base=folder.name))
