"""Reads a TOML file into a checked, frozen model; says file, key and allowed values when it cannot."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from respmark.contract.base import Message
from respmark.errors import SpecError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Spec = TypeVar("Spec", bound=Message)


def load(path: Path, model: type[Spec]) -> Spec:
    """Return the spec in `path`.

    Raises:
        SpecError: the file cannot be read, is not TOML, or does not fit the model.
    """
    return check(path, read_toml(path), model)


def read_toml(path: Path) -> dict[str, object]:
    """Return the tables of a TOML file.

    Raises:
        SpecError: with the line of the fault.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(path, "there is no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(path, f"cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, f"is not TOML: {error}") from error


def check(path: Path, content: dict[str, object], model: type[Spec]) -> Spec:
    """Return `content` as a model; `path` is for the message only."""
    try:
        # By way of JSON: there, a list is good for a tuple and a name for an enumeration, and nothing else bends.
        return model.model_validate_json(json.dumps(content, default=str))
    except ValidationError as error:
        raise SpecError(path, "; ".join(describe(detail) for detail in error.errors())) from error


def describe(detail: "ErrorDetails") -> str:
    """Say in words which key is wrong, how, and what it was."""
    key = ".".join(_key_parts(detail["loc"])) or "the file"
    problem = (
        detail["msg"]
        .removeprefix("Value error, ")
        .replace("Input should", "should")
        .replace("Extra inputs are not permitted", "is not a key that respmark knows")
    )
    given = "" if detail["type"] in {"missing", "extra_forbidden", "value_error"} else f" (is {detail['input']!r})"
    return f"`{key}`: {problem}{given}"


def _key_parts(location: tuple[int | str, ...]) -> Iterator[str]:
    for part in location:
        yield f"[{part + 1}]" if isinstance(part, int) else part
