"""Shapes and servers, and what cannot be one."""

from typing import Any

import pytest

from respmark.contract.trial import SHAPE_FIELDS, Endpoint, Fault, Form, Scenario, Shape, Window, check_shape
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
    "processes": 3,
    "rtt_ms": 0.2,
    "rate": "5000",
    "fault": Fault.RESET,
    "fault_s": 5.0,
}


def needed(scenario: Scenario) -> set[str]:
    return {name for name, field in SHAPE_FIELDS.items() if scenario in field.required}


def allowed(scenario: Scenario) -> set[str]:
    return {name for name, field in SHAPE_FIELDS.items() if scenario in field.optional}


FITTING = {scenario: Shape(**{name: VALUES[name] for name in needed(scenario)}) for scenario in Scenario}


@pytest.mark.parametrize("scenario", Scenario)
def test_a_shape_has_the_fields_of_its_scenario(scenario: Scenario) -> None:
    """What it needs, perhaps what is optional and several processes; what is missing or too much is named."""
    shape = FITTING[scenario]
    check_shape(scenario, shape.model_copy(update={name: VALUES[name] for name in allowed(scenario)}))
    for name in needed(scenario):
        with pytest.raises(ValueError, match=f"{scenario} needs {name} in its shape"):
            check_shape(scenario, shape.model_copy(update={name: None}))
    for name in VALUES.keys() - needed(scenario) - allowed(scenario):
        with pytest.raises(ValueError, match=f"{scenario} does not use {name} of its shape"):
            check_shape(scenario, shape.model_copy(update={name: VALUES[name]}))


def test_the_password_is_in_the_json_alone() -> None:
    """The runner needs it, on standard input; no way to print a trial by accident shows it."""
    request = make_request()
    assert HIDDEN in request.server.model_dump_json()
    assert HIDDEN not in f"{request!r} {request} {request.server.model_dump()}"


def test_only_a_node_of_a_cluster_is_one_in_the_trial() -> None:
    plain = Endpoint(host="127.0.0.1", port=7000)
    assert "cluster" not in plain.model_dump(mode="json")
    assert plain.model_copy(update={"cluster": True}).model_dump(mode="json")["cluster"] is True
