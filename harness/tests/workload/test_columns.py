"""The workload file: what a runner reads is what the workload has."""

import json
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from respmark.workload.columns import content, literal
from respmark.workload.spec import KeyArgument, ValueArgument
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED


def read(text: bytes) -> list[tuple[str, list[bytes]]]:
    file = BytesIO(text)
    header: dict[str, Any] = json.loads(file.readline())
    numbers = np.frombuffer(file.read(2 * header["commands"]), dtype="<u2").tolist()
    steps = [(header["kinds"][kind], values) for kind, *values in header["steps"]]
    keys = [[file.read(header["key_bytes"]) for _ in _of("key", steps[number][0])] for number in numbers]
    values = [file.read(size) for size in header["values"]]
    assert file.read() == b""
    assert len(set(values)) == len(values)
    found = []
    for number, own in zip(numbers, keys, strict=True):
        kind, places = steps[number]
        rest = {"key": iter(own), "value": iter([values[place] for place in places])}
        words = [
            str(word["literal"]).encode() if isinstance(word, dict) else next(rest[word]) for word in kind["arguments"]
        ]
        found.append((kind["name"], words))
    return found


def _of(word: str, kind: dict[str, Any]) -> list[str]:
    return [one for one in kind["arguments"] if one == word]


@pytest.mark.parametrize("name", ["conform", "conform-commands"])
def test_every_command_is_in_the_file_with_its_keys_and_values(name: str) -> None:
    """Commands with several keys, without one, and with literals."""
    workload = generate(SHIPPED.workload(name), 1)
    found = read(content(workload))
    assert len(found) == len(workload.kinds)
    for index, (command, words) in enumerate(found):
        kind = workload.header.mix[workload.kinds[index]]
        key, size = int(workload.keys[index]), int(workload.sizes[index])
        expected = [
            workload.key(key + one.offset)
            if isinstance(one, KeyArgument)
            else workload.value(key + one.offset, size)
            if isinstance(one, ValueArgument)
            else one.text.encode()
            for one in kind.arguments
        ]
        assert (command, words) == (kind.name, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("86400", 86400),
        ("1.5", 1.5),
        ("007", "007"),
        ("0.00001", "0.00001"),
        ("9223372036854775807", "9223372036854775807"),
        ("NX", "NX"),
    ],
)
def test_a_literal_is_a_number_where_every_language_writes_it_the_same(text: str, expected: object) -> None:
    """So no runner parses numbers, and none sends another text."""
    assert literal(text) == expected
