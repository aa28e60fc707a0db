"""The workload file is read as the contract lays it out, and walked through for ever."""

import json
import struct
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from paths import GOLDEN, GOLDEN_WORKLOAD
from respmark_python.errors import InvalidInputError
from respmark_python.workload.commands import Workload
from respmark_python.workload.file import read_workload
from respmark_python.workload.walk import Call, walk, walk_slices
from workloads import KEY, VALUE, literal, write_workload

MIX = [("GET", [KEY]), ("SET", [KEY, VALUE]), ("PING", []), ("GETRANGE", [KEY, literal("0"), literal("3")])]


def test_the_golden_workload_reads_as_written_out(workload: Workload) -> None:
    """Every command of the golden file has the words that the contract writes out."""
    words = [[word.decode() if isinstance(word, bytes) else word for word in row] for row in workload.words()]
    commands = [[workload.kind(index).name, *row] for index, row in enumerate(words)]
    assert commands == json.loads((GOLDEN / "workload.json").read_text())["commands"]


def test_keys_are_text_and_values_are_bytes_of_their_own(tmp_path: Path) -> None:
    """Keys and literals are given to the library as text, values as bytes that are no view."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    assert workload.words()[:4] == [("k%0000",), ("k%0000", workload.value(0, 16)), (), ("k%0000", "0", "3")]
    assert type(workload.words()[1][1]) is bytes


def test_messages_name_the_command(tmp_path: Path) -> None:
    """A command is shown by name and key, without its value."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    assert [workload.line(index) for index in range(4, 7)] == ["GET k%0001", "SET k%0001", "PING"]


def test_walkers_start_at_their_own_offset(workload: Workload) -> None:
    """Walker w of n starts at w * commands / n, in whole numbers."""
    assert [workload.first_command(walker, 7) for walker in range(7)] == [0, 34, 68, 102, 137, 171, 205]


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(InvalidInputError, match="missing cannot be read: No such file"):
        read_workload(tmp_path / "missing")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is cut off: 0 bytes"),
        (b"REDMARKS" + bytes(8), "does not begin with RESPMARK"),
        (struct.pack("<8sII", b"RESPMARK", 2, 0), "layout 2 is newer than 1"),
        (struct.pack("<8sII", b"RESPMARK", 1, 1) + b"{", "header that is not JSON"),
        (struct.pack("<8sII", b"RESPMARK", 1, 2) + b"{}", "schema_version is missing"),
        (GOLDEN_WORKLOAD.read_bytes()[:-1], "block lies beyond the end of the file, which is cut off"),
    ],
)
def test_a_file_that_is_no_workload_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    """The message says what is wrong with the file."""
    path = tmp_path / "workload"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=message):
        read_workload(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"compression": "zip"}, "compression is unknown"),
        ({"schema_version": 2}, "schema_version 2 is newer"),
        ({"commands": 31}, "do not have one row for each of its 31 commands"),
        ({"mix": [{"name": "GET", "arguments": []}]}, "uses command 3 of a mix of 1"),
        ({"mix": []}, "mix must be a list of commands"),
        ({"mix": [{"name": "GET", "arguments": [{"kind": "score"}]}]}, "must be one of key, value, literal"),
        ({"value_modulus_bits": 12}, "block is shorter"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    """Unknown fields, newer versions and columns that do not fit are refused."""
    path = write_workload(tmp_path / "workload", MIX)
    content = path.read_bytes()
    header = json.loads(content[16:4096])
    text = json.dumps(header | changes).encode().ljust(4096 - 16)
    path.write_bytes(content[:16] + text + content[4096:])
    with pytest.raises(InvalidInputError, match=message):
        read_workload(path)


def test_a_walk_never_ends() -> None:
    """A walk begins where it is told and goes round."""
    steps = walk([min, max, sum], [("a",), ("b",), ("c",)], 2)
    assert list(islice(steps, 5)) == [(sum, ("c",)), (min, ("a",)), (max, ("b",)), (sum, ("c",)), (min, ("a",))]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_slices_go_round_without_a_gap(depth: int) -> None:
    """Slices of any depth, also beyond the workload's length, are the walk in pieces."""
    calls: list[Call] = [min, max, sum]
    rows = [("a",), ("b",), ("c",)]
    slices = islice(walk_slices(list(zip(calls, rows, strict=True)), 1, depth), 6)
    assert [command for piece in slices for command in piece] == list(islice(walk(calls, rows, 1), 6 * depth))
