"""What harness and runner say while a trial runs."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.events import RUNNER_EVENT, Go, Progress, Ready, Result
from respmark.contract_files import EVENTS
from respmark.paths import CONTRACT

KINDS = {"ready": Ready, "progress": Progress, "result": Result}


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


@pytest.mark.parametrize("name", ["ready", "result"])
def test_a_newer_event_is_refused(name: str) -> None:
    """A runner of a newer contract is not misread."""
    with pytest.raises(ValidationError, match="schema_version"):
        RUNNER_EVENT.validate_json(json.dumps(golden(name) | {"schema_version": 2}))


@pytest.mark.parametrize("line", ['{"event":"go"}', '{"event":"done"}', "{}", "[]", "42", "ready", ""])
def test_what_is_no_event_is_refused(line: str) -> None:
    """Only the three events of a runner are taken from it."""
    with pytest.raises(ValidationError):
        RUNNER_EVENT.validate_json(line)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("operations", -1),
        ("operations", 1.5),
        ("operations", "300"),
        ("errors", {"TimeoutError": 0}),
        ("elapsed_ns", -1),
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


def test_go_is_the_line_of_the_contract() -> None:
    """What starts the window is exactly what the contract's page writes."""
    assert Go().model_dump_json() == '{"event":"go"}'
