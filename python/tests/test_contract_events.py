"""Events have the fields of the contract."""

import json
from dataclasses import fields

import jsonschema
import pytest

from paths import CONTRACT, GOLDEN
from respmark_python.contract.description import Description
from respmark_python.contract.events import (
    Latency,
    Loaded,
    Moment,
    Ready,
    Result,
    Segment,
    Slice,
    Work,
    to_json,
)
from respmark_python.main.channel import say

MESSAGES = {"loaded": Loaded, "ready": Ready, "slice": Slice, "result": Result, "description": Description}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_have_the_fields_of_the_golden_ones(name: str) -> None:
    """Each message has exactly the fields that the contract's example shows."""
    golden = json.loads((GOLDEN / f"{name}.json").read_text())
    assert {field.name for field in fields(MESSAGES[name])} == set(golden)


def test_the_golden_slice_can_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A slice with everything in it is printed on one line, as the contract's example has it."""
    done = Slice(
        trial_id="golden",
        slice=1,
        started=Moment(5_000_000_000, 400_000_000, 50_000_000),
        measured_from=Moment(5_050_400_000, 436_000_000, 58_000_000),
        ended=Moment(5_151_300_000, 508_000_000, 74_000_000),
        lead_in=Work(100, 1),
        measured=Work(200, 2),
        segments=[Segment(60, 300)],
        errors={"TimeoutError": 1},
        first_error="TimeoutError: no reply in 5 s",
    )
    say(done)
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == json.loads((GOLDEN / "slice.json").read_text())


def test_a_result_follows_its_schema() -> None:
    """A result with everything in it is as its schema wants it."""
    result = Result(
        trial_id="test",
        latency=Latency("batch", [(702_976, 2), (810_496, 1)], 810_777),
        peak_memory_bytes=52_428_800,
        decodes_to="bytes",
        runtime_health={"gc_collections": 3},
        runtime_settings={"gc": "on"},
        versions={"a-library": "1.2.3"},
    )
    schema = json.loads((CONTRACT / "schemas" / "result.schema.json").read_text())
    jsonschema.validate(json.loads(to_json(result)), schema)


def test_text_is_printed_as_utf8() -> None:
    """What is not ASCII stays readable."""
    assert "µ" in to_json(Loaded("µ", 1))
