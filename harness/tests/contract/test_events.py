"""What harness and runner say while a trial runs."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.events import ORDER, RUNNER_EVENT, Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.paths import CONTRACT
from tools.contract_files import EVENTS, INVALID_ORDERS, VALID_ORDERS

KINDS = {"loaded": Loaded, "ready": Ready, "slice": Slice, "result": Result}


def golden(name: str) -> dict[str, Any]:
    """Return a golden message."""
    content = json.loads((CONTRACT / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@pytest.mark.parametrize("name", KINDS)
def test_an_event_is_told_by_its_name(name: str) -> None:
    """A line of a runner's output becomes the event that it names."""
    event = RUNNER_EVENT.validate_json(json.dumps(golden(name)))
    assert type(event).__name__ == KINDS[name].__name__
    assert event.model_dump(mode="json") == EVENTS[name]


@pytest.mark.parametrize("name", KINDS)
def test_an_event_with_an_unknown_field_is_refused(name: str) -> None:
    """A runner that is newer than the contract, or misspells it, is noticed."""
    with pytest.raises(ValidationError, match="surprise"):
        RUNNER_EVENT.validate_json(json.dumps(golden(name) | {"surprise": 1}))


@pytest.mark.parametrize("name", ["loaded", "result"])
@pytest.mark.parametrize("version", [1, 3])
def test_an_event_of_another_version_is_refused(name: str, version: int) -> None:
    """A runner of an older or newer contract is not misread."""
    with pytest.raises(ValidationError, match="schema_version"):
        RUNNER_EVENT.validate_json(json.dumps(golden(name) | {"schema_version": version}))


@pytest.mark.parametrize("line", ['{"event":"go"}', '{"event":"done"}', "{}", "[]", "42", "ready", ""])
def test_what_is_no_event_is_refused(line: str) -> None:
    """Only the events of a runner are taken from it."""
    with pytest.raises(ValidationError):
        RUNNER_EVENT.validate_json(line)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("peak_memory_bytes", -1),
        ("peak_memory_bytes", 1.5),
        ("peak_memory_bytes", "300"),
        ("decodes_to", "strings"),
        ("latency", {"sample_covers": "batch", "histogram": [[1, 0]], "max_ns": 1}),
        ("latency", {"sample_covers": "batch", "histogram": [[1]], "max_ns": 1}),
        ("latency", {"sample_covers": "hour", "histogram": [], "max_ns": 1}),
    ],
)
def test_a_result_with_an_impossible_value_is_refused(field: str, value: object) -> None:
    """Negative counts, texts for numbers and empty buckets are refused by the field's name."""
    with pytest.raises(ValidationError, match=field):
        Result.model_validate_json(json.dumps(golden("result") | {field: value}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slice", 0),
        ("errors", {"TimeoutError": 0}),
        ("measured", {"operations": -1, "units": 0}),
        ("started", {"at_ns": -1, "cpu_user_ns": 0, "cpu_system_ns": 0}),
        ("segments", [{"first_command": 0}]),
    ],
)
def test_a_slice_with_an_impossible_value_is_refused(field: str, value: object) -> None:
    """What was not counted cannot be claimed."""
    with pytest.raises(ValidationError, match=field):
        Slice.model_validate_json(json.dumps(golden("slice") | {field: value}))


def test_orders_are_the_lines_of_the_contract() -> None:
    """What the harness writes is exactly what the contract's page says."""
    assert Connect().model_dump_json() == '{"order":"connect"}'
    assert Finish().model_dump_json() == '{"order":"finish"}'
    order = SliceOrder(slice=2, duration_ns=5, lead_in_ns=1, first_command=7, keep_samples=True)
    assert json.loads(order.model_dump_json()) == {
        "order": "slice",
        "slice": 2,
        "duration_ns": 5,
        "lead_in_ns": 1,
        "first_command": 7,
        "keep_samples": True,
    }


@pytest.mark.parametrize("name", VALID_ORDERS)
def test_a_golden_order_is_valid(name: str) -> None:
    """What runners are tested with is what the harness can write."""
    assert ORDER.validate_json(json.dumps(VALID_ORDERS[name])).model_dump(mode="json") == VALID_ORDERS[name]


@pytest.mark.parametrize("name", INVALID_ORDERS)
def test_a_golden_order_that_is_invalid_is_refused(name: str) -> None:
    """What runners must refuse is no order of the harness."""
    with pytest.raises(ValidationError):
        ORDER.validate_json(json.dumps(INVALID_ORDERS[name]))
