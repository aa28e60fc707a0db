"""What a runner prints is checked, line by line."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.lines import Line

MOMENTS = {"started": [1, 0, 0], "measured_from": [2, 0, 0], "ended": [3, 0, 0]}
WORKED: dict[str, Any] = {**MOMENTS, "lead_in": [1], "measured": [2], "errors": {}, "first_error": None}


@pytest.mark.parametrize("line", ['{"surprise": 1}', "[]", "42", "ready", ""])
def test_what_is_no_line_is_refused(line: str) -> None:
    """A runner that is newer than the contract, or prints anything else, is noticed."""
    with pytest.raises(ValidationError):
        Line.model_validate_json(line)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("measured", [-1]),
        ("measured", [1.5]),
        ("measured", ["2"]),
        ("errors", {"TimeoutError": 0}),
        ("started", [-1, 0, 0]),
        ("ended", [3, 0]),
        ("surprise", 1),
    ],
)
def test_a_slice_with_an_impossible_value_is_refused(field: str, value: object) -> None:
    """What was not counted cannot be claimed."""
    with pytest.raises(ValidationError, match=field):
        Line.model_validate_json(json.dumps({"worked": WORKED | {field: value}}))
