"""Events have the fields of the contract, and `go` is waited for."""

import io
import json
from dataclasses import fields
from typing import Any

import jsonschema
import pytest

from paths import CONTRACT, GOLDEN
from respmark_python.contract.description import Description
from respmark_python.contract.events import Half, Latency, Progress, Ready, Result, Segment, await_go, say, to_json
from respmark_python.errors import RunnerError

MESSAGES = {"ready": Ready, "progress": Progress, "result": Result, "description": Description}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_have_the_fields_of_the_golden_ones(name: str) -> None:
    """Each message has exactly the fields that the contract's example shows."""
    golden = json.loads((GOLDEN / f"{name}.json").read_text())
    assert {field.name for field in fields(MESSAGES[name])} == set(golden)


def test_a_result_follows_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """A result with everything in it is printed on one line as its schema wants it."""
    result = Result(
        trial_id="test",
        operations=300,
        units=3,
        segments=[Segment(0, 300)],
        errors={"TimeoutError": 1},
        first_error="TimeoutError: no reply in 5 s",
        elapsed_ns=1_500_900_000,
        first_half=Half(200, 751_000_000),
        cpu_user_ns=9,
        cpu_system_ns=2,
        latency=Latency("batch", [(702_976, 2), (810_496, 1)], 810_777),
        peak_memory_bytes=52_428_800,
        decodes_to="bytes",
        runtime_health={"gc_collections": 3},
        runtime_settings={"gc": "on"},
        versions={"a-library": "1.2.3"},
    )
    say(result)
    (line,) = capsys.readouterr().out.splitlines()
    schema = json.loads((CONTRACT / "schemas" / "result.schema.json").read_text())
    jsonschema.validate(json.loads(line), schema)


def test_text_is_printed_as_utf8() -> None:
    """What is not ASCII stays readable."""
    assert "µ" in to_json(Progress("µ", 1, 1))


def test_go_is_waited_for() -> None:
    """The harness's golden `go`, on one line, starts the window."""
    golden: dict[str, Any] = json.loads((GOLDEN / "go.json").read_text())
    await_go(io.StringIO(json.dumps(golden) + "\n"))


@pytest.mark.parametrize("text", ["", "go\n", '{"event":"stop"}\n', "{}\n"])
def test_anything_but_go_ends_the_trial(text: str) -> None:
    """The end of standard input, or another word, ends the trial with exit code 1."""
    with pytest.raises(RunnerError) as caught:
        await_go(io.StringIO(text))
    assert caught.value.exit_code == 1
