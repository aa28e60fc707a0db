"""Reads a TOML file into a checked, frozen model; an error names the file, the key and the allowed values."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from respmark.contract.base import Message
from respmark.errors import SpecError
from respmark.redaction import redacted

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Spec = TypeVar("Spec", bound=Message)
SHOWN: Final = 200
"""The most characters of a value in a message."""


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
    except (RecursionError, ValueError) as error:
        # A path with a null character, values nested deeper than any spec.
        raise SpecError(path, f"cannot be read: {error}") from error


def check(path: Path, content: dict[str, object], model: type[Spec]) -> Spec:
    """Return `content` as a model; `path` is only for the message."""
    try:
        # By way of JSON, for which a list may be a tuple and a name an enumeration; all other types must match exactly.
        return model.model_validate_json(json.dumps(content, default=str))
    except ValidationError as error:
        raise SpecError(path, "; ".join(describe(detail, model) for detail in error.errors())) from error


def describe(detail: "ErrorDetails", model: type[BaseModel]) -> str:
    """Return a sentence that says which key is wrong, how, what it was, and what is allowed."""
    location = detail["loc"]
    key = ".".join(_key_parts(location)) or "the file"
    if detail["type"] == "extra_forbidden":
        known = ", ".join(sorted(_fields_at(model, location[:-1])))
        return f"`{key}`: is not a key that respmark knows" + (f"; it knows: {known}" if known else "")
    problem = detail["msg"].removeprefix("Value error, ").replace("Input should", "should")
    given = "" if detail["type"] in {"missing", "value_error"} else f" (is {_shown(detail['input'])})"
    return f"`{key}`: {problem}{given}"


def _shown(value: object) -> str:
    """Return a value for a message: shortened if it is long, and without the password of a URL."""
    text = redacted(repr(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _fields_at(model: type[BaseModel], location: tuple[int | str, ...]) -> set[str]:
    """Return the names of the fields of the model that is at a place in `model`."""
    annotation: Any = model
    for part in location:
        models = list(_models_in(annotation))
        named = [inner.model_fields[part].annotation for inner in models if part in inner.model_fields]
        annotation = named[0] if named else annotation
    return {name for inner in _models_in(annotation) for name in inner.model_fields}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type hint of any kind
    """Find the models in a type hint: themselves, or inside lists, mappings and alternatives."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _key_parts(location: tuple[int | str, ...]) -> Iterator[str]:
    for part in location:
        yield f"[{part + 1}]" if isinstance(part, int) else part
