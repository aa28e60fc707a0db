"""Reads TOML files, and tables that are like others."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from respmark.errors import SpecError


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a mark
    except FileNotFoundError as error:
        raise SpecError(path, "there is no such file") from error
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, f"is not TOML: {error}") from error
    except (OSError, RecursionError, ValueError) as error:
        # Such as a folder, another encoding, a path with a null character.
        raise SpecError(path, f"cannot be read: {error}") from error


def with_like(table: Mapping[str, Any], find: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a table with what it leaves out, from the one that its `like` names; tables in both are merged."""
    own = {key: value for key, value in table.items() if key != "like"}
    return _merged(find(str(table["like"])), own) if "like" in table else own


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    both = {key for key, value in own.items() if isinstance(value, dict) and isinstance(base.get(key), dict)}
    return {**base, **own, **{key: _merged(base[key], own[key]) for key in both}}


def value_of(text: str) -> Any:  # noqa: ANN401 - whatever it says
    """Return a value as TOML has it; what is none there is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
