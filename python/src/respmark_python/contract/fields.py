"""Reads JSON objects field by field and refuses unknown fields; every message names the field."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NoReturn, TypeVar

from respmark_python.contract import SCHEMA_VERSION
from respmark_python.errors import InvalidInputError

Value = TypeVar("Value")
REQUIRED: Final = object()
"""Stands for "has no default"."""


def refuse(where: str, problem: str) -> NoReturn:
    """Raise the error that names the field."""
    raise InvalidInputError(f"{where} {problem}")


def parse_json(line: str | bytes, where: str) -> Any:
    """Return the value of one line of JSON."""

    def refuse_constant(name: str) -> NoReturn:
        refuse(where, f"is not JSON: {name}")

    try:
        return json.loads(line, parse_constant=refuse_constant)
    except ValueError as error:
        raise InvalidInputError(f"{where} is not one line of JSON: {error}") from error


class Fields:
    """One JSON object, whose fields are taken one by one; `finish` refuses those that were not."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, f"must be an object, not {show(value)}")
        self._left: dict[str, Any] = dict(value)
        self._where = where
        self._known: list[str] = []

    def take(self, name: str, read: Callable[[Any, str], Value], default: Any = REQUIRED) -> Value:
        """Return the field's value as `read` returns it, or its default if it is absent."""
        self._known.append(name)
        if name not in self._left and default is not REQUIRED:
            return default  # type: ignore[no-any-return]
        if name not in self._left:
            refuse(self.path(name), "is missing")
        return read(self._left.pop(name), self.path(name))

    def path(self, name: str) -> str:
        """Return the field's full name."""
        return f"{self._where}.{name}"

    def finish(self) -> None:
        """Refuse the fields that were not taken."""
        for name in self._left:
            refuse(self.path(name), f"is unknown; known are {', '.join(self._known)}")


def show(value: Any) -> str:
    """Return the value as messages show it, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - half a line


def text(value: Any, where: str) -> str:
    """Accept text that is not empty."""
    if not isinstance(value, str) or not value:
        refuse(where, f"must be a text that is not empty, not {show(value)}")
    return value


def any_text(value: Any, where: str) -> str:
    """Accept text, empty or not."""
    if not isinstance(value, str):
        refuse(where, f"must be a text, not {show(value)}")
    return value


def secret(value: Any, where: str) -> str:
    """Accept a text that no message shows."""
    if not isinstance(value, str):
        refuse(where, "must be a text")
    return value


def boolean(value: Any, where: str) -> bool:
    """Accept true and false."""
    if not isinstance(value, bool):
        refuse(where, f"must be true or false, not {show(value)}")
    return value


def whole(least: int, most: int | None = None) -> Callable[[Any, str], int]:
    """Return a reader of whole numbers from `least` to `most`."""
    span = f"of at least {least}" if most is None else f"from {least} to {most}"

    def read(value: Any, where: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least or (most and value > most):
            refuse(where, f"must be a whole number {span}, not {show(value)}")
        return value

    return read


def version(value: Any, where: str) -> int:
    """Accept this runner's version of the contract."""
    if (number := whole(1)(value, where)) != SCHEMA_VERSION:
        advice = "update the runner" if number > SCHEMA_VERSION else "update the harness"
        refuse(where, f"{number} is not {SCHEMA_VERSION}, which this runner reads; {advice}")
    return number


def one_of(allowed: Iterable[Value]) -> Callable[[Any, str], Value]:
    """Return a reader of one of these values."""
    choices = list(allowed)

    def read(value: Any, where: str) -> Value:
        for choice in choices:
            if choice == value and type(choice) is type(value):
                return choice
        refuse(where, f"must be one of {', '.join(map(str, choices))}, not {show(value)}")

    return read


def nullable(read: Callable[[Any, str], Value]) -> Callable[[Any, str], Value | None]:
    """Return a reader that lets null through."""
    return lambda value, where: None if value is None else read(value, where)


def options(value: Any, where: str) -> Mapping[str, str | int | bool]:
    """Accept an object whose values are texts, whole numbers or booleans."""
    if not isinstance(value, dict):
        refuse(where, f"must be an object, not {show(value)}")
    for name, choice in value.items():
        if not isinstance(choice, str | int | bool):
            refuse(f"{where}.{name}", f"must be a text, a whole number or a boolean, not {show(choice)}")
    return value
