"""A trial, and what cannot be one."""

import json

import pytest
from pydantic import SecretStr, ValidationError

from respmark.contract.trial import SHAPE_FIELDS, Endpoint, Form, Scenario, Shape, TrialRequest, Window, check_shape
from tests.builders.plan import HIDDEN, make_request

TRIAL = {
    "schema_version": 2,
    "trial_id": "t",
    "client": {"library": "a-library", "version": None, "options": {"protocol": 3}},
    "scenario": "batching",
    "shape": {"depth": 100},
    "workload": {"path": "tiny.workload", "part": 0, "parts": 1},
    "target": {"host": "127.0.0.1", "port": 6379},
}
FITTING = {
    Scenario.SYNC: Shape(),
    Scenario.PIPELINING: Shape(depth=10, window=Window.BURST),
    Scenario.BATCHING: Shape(depth=10),
    Scenario.TRANSACTION: Shape(depth=10, form=Form.QUEUED),
    Scenario.THREADS: Shape(threads=4, connections=1),
    Scenario.POOL: Shape(threads=4, max_total=4),
    Scenario.NEW_CONNECTION: Shape(),
    Scenario.CACHING: Shape(cache_entries=100),
}
ALL_FIELDS = {
    "depth": 10,
    "window": Window.BURST,
    "form": Form.QUEUED,
    "threads": 4,
    "connections": 1,
    "max_total": 4,
    "max_idle": 2,
    "cache_entries": 100,
}


@pytest.mark.parametrize(
    "change",
    [
        {"warm_up_s": 1},
        {"shape": {"depth": 100, "pipeline": 5}},
        {"schema_version": 3},
        {"schema_version": 1},
        {"scenario": None},
        {"scenario": "bulk"},
        {"scenario": "caching"},
        {"shape": {"depth": 100, "max_total": 8}},
        {"shape": {"depth": 0}},
        {"verify_commands": "100"},
        {"target": {"port": 6379}},
    ],
)
def test_an_invalid_trial_is_refused(change: dict[str, object]) -> None:
    """Unknown fields, other versions, wrong types, and shapes that do not fit the scenario."""
    assert TrialRequest.model_validate_json(json.dumps(TRIAL))
    with pytest.raises(ValidationError):
        TrialRequest.model_validate_json(json.dumps(TRIAL | change))


def test_a_trial_survives_the_wire() -> None:
    """What the harness writes is what a reader of the same version reads, password and all."""
    request = make_request()
    assert TrialRequest.model_validate_json(request.model_dump_json()) == request


def test_the_password_is_in_the_json() -> None:
    """The runner needs the password and gets it on standard input."""
    assert json.loads(make_request().model_dump_json())["target"]["password"] == HIDDEN


@pytest.mark.parametrize("write", [repr, str, lambda request: str(request.model_dump())])
def test_the_password_is_in_nothing_that_is_printed(write: object) -> None:
    """No way to print a trial by accident shows its password."""
    assert callable(write)
    assert HIDDEN not in write(make_request())
    assert HIDDEN not in write(make_request().target)


@pytest.mark.parametrize("scenario", Scenario)
def test_a_shape_that_fits_is_accepted(scenario: Scenario) -> None:
    """Every scenario takes its own fields, with or without several processes."""
    check_shape(scenario, FITTING[scenario])
    check_shape(scenario, FITTING[scenario].model_copy(update={"processes": 3}))


@pytest.mark.parametrize(
    ("scenario", "field"),
    [(scenario, field) for scenario, fields in SHAPE_FIELDS.items() for field in sorted(fields.required)],
)
def test_a_shape_without_a_required_field_is_refused_by_name(scenario: Scenario, field: str) -> None:
    """The message says which field the scenario lacks."""
    with pytest.raises(ValueError, match=f"{scenario} needs {field} in its shape"):
        check_shape(scenario, FITTING[scenario].model_copy(update={field: None}))


@pytest.mark.parametrize(
    ("scenario", "field"),
    [
        (scenario, field)
        for scenario, fields in SHAPE_FIELDS.items()
        for field in sorted(set(ALL_FIELDS) - fields.required - fields.optional)
    ],
)
def test_a_shape_with_a_field_of_another_scenario_is_refused_by_name(scenario: Scenario, field: str) -> None:
    """The message says which field the scenario does not use."""
    with pytest.raises(ValueError, match=f"{scenario} does not use {field} of its shape"):
        check_shape(scenario, FITTING[scenario].model_copy(update={field: ALL_FIELDS[field]}))


@pytest.mark.parametrize(
    ("scenario", "field"),
    [(scenario, field) for scenario, fields in SHAPE_FIELDS.items() for field in sorted(fields.optional)],
)
def test_optional_fields_are_accepted(scenario: Scenario, field: str) -> None:
    """A field that the contract calls optional may be there."""
    check_shape(scenario, FITTING[scenario].model_copy(update={field: ALL_FIELDS[field]}))


@pytest.mark.parametrize(
    "address",
    [
        {},
        {"host": "a"},
        {"port": 1},
        {"host": "a", "port": 1, "unix_socket": "/s"},
        {"unix_socket": "/s", "port": 1},
        {"host": "a", "port": 0},
        {"host": "a", "port": 65536},
    ],
)
def test_an_endpoint_has_exactly_one_address(address: dict[str, object]) -> None:
    """Neither none nor two ways to the server are accepted, nor a port that cannot be."""
    with pytest.raises(ValidationError):
        Endpoint.model_validate(address)


def test_a_refused_endpoint_does_not_tell_the_password() -> None:
    """The message of a validation error shows what was given, but no password."""
    with pytest.raises(ValidationError) as caught:
        Endpoint(port=1, password=SecretStr(HIDDEN))
    assert HIDDEN not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("schema_version", 0), ("schema_version", True), ("trial_id", ""), ("verify_commands", -1)],
)
def test_values_out_of_range_are_refused(field: str, value: object) -> None:
    """A trial with a number that makes no sense is refused by the field's name."""
    with pytest.raises(ValidationError, match=field):
        TrialRequest.model_validate_json(json.dumps(TRIAL | {field: value}))
