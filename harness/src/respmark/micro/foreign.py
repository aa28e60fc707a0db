"""Reads files that other tools wrote: what we need must be there, what is new in them is ignored."""

import json
import math
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from respmark.errors import InvalidRequestError
from respmark.results.store import read_bytes

Model = TypeVar("Model")
NOT_A_NUMBER: Final = {"NaN", "Infinity", "-Infinity", "+INF", "-INF", "INF", ""}


class Foreign(BaseModel):
    """A part of another tool's file, which may have fields that we do not use."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _number_or_none(value: object) -> object:
    """Turn what stands for `not a number` into None: tools write it in several ways."""
    if isinstance(value, str) and value in NOT_A_NUMBER:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


Figure = Annotated[float | None, BeforeValidator(_number_or_none)]
"""A finite number, or None if the tool had none."""


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return the content of a JSON file.

    Raises:
        InvalidRequestError: it cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        message = f"{path} is not JSON: {error}"
        raise InvalidRequestError(message) from error


def fit(path: Path, content: object, model: TypeAdapter[Model], what: str, advice: str) -> Model:
    """Return the content as a model.

    Raises:
        InvalidRequestError: it lacks something that we need; the message names it.
    """
    try:
        return model.validate_python(content)
    except ValidationError as error:
        detail = error.errors()[0]
        key = ".".join(f"[{part}]" if isinstance(part, int) else part for part in detail["loc"]) or "the file"
        message = f"{path} is not {what}: `{key}`: {detail['msg'][:1].lower()}{detail['msg'][1:]}; {advice}"
        raise InvalidRequestError(message) from error
