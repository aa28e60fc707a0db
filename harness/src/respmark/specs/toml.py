"""Reads TOML files."""

import tomllib
from pathlib import Path

from respmark.errors import SpecError


def read_toml(path: Path) -> dict[str, object]:
    """Return the tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(path, "there is no such file") from error
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, f"is not TOML: {error}") from error
    except (OSError, RecursionError, ValueError) as error:
        # Such as a folder, another encoding, a path with a null character.
        raise SpecError(path, f"cannot be read: {error}") from error
