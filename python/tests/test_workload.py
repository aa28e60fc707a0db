"""The workload file is read as the contract lays it out, and walked through for ever."""

import json
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from paths import GOLDEN, GOLDEN_WORKLOAD
from respmark_python.clients.redis_py_commands import arguments
from respmark_python.errors import InvalidInputError
from respmark_python.workload.commands import Call, Commands, bind, materialise, walk
from respmark_python.workload.file import read_workload
from respmark_python.workload.workload import Argument, Kind, Workload
from workloads import KEY, VALUE, literal, write_workload

MIX = [("GET", [KEY]), ("SET", [KEY, VALUE]), ("PING", []), ("GETRANGE", [KEY, literal("0"), literal("3")])]


def sent(workload: Workload, commands: Commands, first: int, count: int) -> list[list[Any]]:
    """Return the words of the commands on the walk, each with its name in front, as a client would be given them."""

    def method(name: str) -> Call:
        return lambda *words: [name, *words]

    mix = workload.mix
    steps = [bind(method(mix[number].name), mix[number], arguments, value) for number, value in commands.distinct]
    walked = islice(walk(commands, steps, first), count)
    return [call(key) if value is None else call(key, value) for key, (call, value) in walked]


def flat(words: Iterable[Any]) -> Iterator[str]:
    """Return what a method is called with as the command's words, in the command's order."""
    for word in words:
        if isinstance(word, dict):
            # Only ZADD's mapping has numbers for values: its members come after their scores.
            pairs = [(key, value) if isinstance(value, bytes) else (value, key) for key, value in word.items()]
            yield from flat(part for pair in pairs for part in pair)
        elif isinstance(word, list):
            yield from flat(word)
        else:
            yield word.decode() if isinstance(word, bytes) else str(word)


@pytest.mark.parametrize(("file", "written"), [("golden", "workload"), ("commands", "commands")])
def test_golden_workloads_are_walked_as_written_out(file: str, written: str) -> None:
    """Every command of a golden file is given to the client with the words that the contract writes out."""
    workload = read_workload(GOLDEN / f"{file}.workload")
    words = sent(workload, materialise(workload, arguments), 0, workload.commands)
    assert [list(flat(row)) for row in words] == json.loads((GOLDEN / f"{written}.json").read_text())["commands"]


@pytest.mark.parametrize("first", [0, 1, 31])
def test_a_walk_begins_anywhere_and_never_ends(first: int, tmp_path: Path) -> None:
    """A walk begins at the command that it is told and goes round, with the same objects again."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    commands = materialise(workload, arguments)
    once = sent(workload, commands, 0, 32)
    turns = sent(workload, commands, first, 100)
    assert turns == [once[(first + index) % 32] for index in range(100)]


def test_keys_are_text_and_values_are_bytes_of_their_own(tmp_path: Path) -> None:
    """Keys are given to the library as text, values as bytes that are no view, numbers as numbers."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    get, set_, ping, getrange = sent(workload, materialise(workload, arguments), 0, 4)
    assert (get, ping, getrange) == (["GET", "k%0000"], ["PING"], ["GETRANGE", "k%0000", 0, 3])
    assert set_ == ["SET", "k%0000", workload.value(0, 16)]
    assert type(set_[2]) is bytes


def test_values_are_text_where_the_library_decodes_to_text(tmp_path: Path) -> None:
    """Whoever gets text sends text: the same words, of the other type."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    set_ = sent(workload, materialise(workload, arguments, bytes.decode), 1, 1)[0]
    assert set_ == ["SET", "k%0000", workload.value(0, 16).decode()]


def test_equal_values_are_one_object(workload: Workload) -> None:
    """There is one object for each place and size of a value, however many commands there are."""
    columns, commands = workload.columns, materialise(workload, arguments)
    multiplier, mask = workload.value_place
    places = [
        (key * multiplier & mask, size)
        for kind, key, size in zip(columns.kinds, columns.keys, columns.sizes, strict=True)
        if workload.mix[kind].name == "SET"
    ]
    values = [value for _, value in commands.distinct if value is not None]
    assert len(values) == len(set(places)) < len(places)
    assert len(commands.distinct) == len(workload.mix) + len(values)


def test_what_comes_before_the_key_stays_in_front() -> None:
    """A step whose method takes a client first hands it on, wherever the key belongs."""
    kinds = [
        Kind("PING", ()),
        Kind("GET", (Argument("key"),)),
        Kind("SET", (Argument("key"), Argument("value"), Argument("literal", "NX"))),
        Kind("EVAL", (Argument("literal", "return 1"), Argument("literal", "1"), Argument("key"), Argument("value"))),
    ]
    values = [b"v" if Argument("value") in kind.arguments else None for kind in kinds]
    steps = [bind(lambda *words: words, kind, arguments, v) for kind, v in zip(kinds, values, strict=True)]
    assert [call("client", "k") for call, _ in steps] == [
        ("client",),
        ("client", "k"),
        ("client", "k", b"v", "NX"),
        ("client", "return 1", 1, "k", b"v"),
    ]


def test_messages_name_the_command(tmp_path: Path) -> None:
    """A command is shown by name and key, without its value."""
    workload = read_workload(write_workload(tmp_path / "w", MIX))
    assert [workload.line(index) for index in range(4, 7)] == ["GET k%0001", "SET k%0001", "PING"]


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(InvalidInputError, match="missing cannot be read: No such file"):
        read_workload(tmp_path / "missing")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is cut off: 0 bytes"),
        (b"REDMARKS" + bytes(8), "does not begin with RESPMARK"),
        (struct.pack("<8sII", b"RESPMARK", 3, 0), "layout 3 is not 2"),
        (struct.pack("<8sII", b"RESPMARK", 2, 1) + b"{", "header that is not JSON"),
        (struct.pack("<8sII", b"RESPMARK", 2, 2) + b"{}", "schema_version is missing"),
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
        ({"schema_version": 1}, "schema_version 1 is not 2"),
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
