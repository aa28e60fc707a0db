"""Clients of a user's own: folders that lie anywhere, named on the command line or by RESPMARK_CLIENTS."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.errors import InvalidRequestError, SpecError
from respmark.specs.client import ClientKey
from respmark.specs.names import Name
from respmark.specs.toml import read_toml

LANGUAGE: Final = "language"
"""The key of its client.toml that names the folder of its language; a client of the checkout lies in that."""


def own_clients() -> dict[ClientKey, Path]:
    """Return the folders that RESPMARK_CLIENTS names, by language and library; raises SpecError for what is none."""
    return {_key(folder): folder for folder in paths.own_clients()}


def _key(folder: Path) -> ClientKey:
    language = read_toml(folder / "client.toml").get(LANGUAGE)
    if not isinstance(language, str):
        languages = ", ".join(sorted(path.parent.name for path in paths.sources().glob("*/runner.toml")))
        raise SpecError(
            folder / "client.toml", f"`{LANGUAGE}` is missing: outside the checkout, name one of {languages}"
        )
    return language, folder.name


def check_free(own: Iterable[ClientKey], taken: Mapping[ClientKey, object]) -> None:
    """Check that a client of the user's own has a name that no other has; raises InvalidRequestError otherwise."""
    libraries = {library for _, library in taken}
    for _, library in own:
        if library in libraries:
            raise InvalidRequestError(f"there is a client `{library}` already: give your client's folder another name")


def named(names: Iterable[str]) -> list[str]:
    """Return clients' names; a folder in front becomes its library's name, and is known from now on in this process."""
    return [_named(name) for name in names]


def _named(name: str) -> str:
    found = Name.of_client(name)
    if found is None or not found.is_folder:
        return name
    folder = Path(found.base).expanduser().resolve()
    if not (folder / "client.toml").is_file():
        raise InvalidRequestError(f"`{name}` is not a client's folder: {folder} has no client.toml")
    known = [str(one) for one in paths.own_clients()]
    os.environ[paths.OWN_CLIENTS] = os.pathsep.join(dict.fromkeys([*known, str(folder)]))
    return str(replace(found, base=folder.name))
