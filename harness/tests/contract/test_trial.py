"""Shapes and servers, and what cannot be one."""

from typing import Any

import pytest

from respmark.contract.trial import SHAPE_FIELDS, Form, Scenario, Shape, Window, check_shape
from tests.builders.plan import HIDDEN, make_request

VALUES: dict[str, Any] = {
    "depth": 10,
    "window": Window.BURST,
    "form": Form.QUEUED,
    "threads": 4,
    "connections": 1,
    "max_total": 4,
    "max_idle": 2,
    "cache_entries": 100,
    "rate": "5000",
}
FITTING = {
    scenario: Shape(**{name: VALUES[name] for name in fields.required}) for scenario, fields in SHAPE_FIELDS.items()
}


@pytest.mark.parametrize("scenario", Scenario)
def test_a_shape_has_the_fields_of_its_scenario(scenario: Scenario) -> None:
    """What it needs, perhaps what is optional and several processes; what is missing or too much is named."""
    fields, shape = SHAPE_FIELDS[scenario], FITTING[scenario]
    check_shape(scenario, shape.model_copy(update={"processes": 3, **{name: VALUES[name] for name in fields.optional}}))
    for name in fields.required:
        with pytest.raises(ValueError, match=f"{scenario} needs {name} in its shape"):
            check_shape(scenario, shape.model_copy(update={name: None}))
    for name in VALUES.keys() - fields.required - fields.optional:
        with pytest.raises(ValueError, match=f"{scenario} does not use {name} of its shape"):
            check_shape(scenario, shape.model_copy(update={name: VALUES[name]}))


def test_the_password_is_in_the_json_alone() -> None:
    """The runner needs it, on standard input; no way to print a trial by accident shows it."""
    request = make_request()
    assert HIDDEN in request.target.model_dump_json()
    assert HIDDEN not in f"{request!r} {request} {request.target.model_dump()}"
