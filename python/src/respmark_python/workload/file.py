"""Reads the workload file; its layout is described in harness/contract/README.md, "The workload file"."""

import json
import struct
import sys
from array import array
from pathlib import Path
from typing import Any, Final

from respmark_python.contract.fields import Fields, any_text, one_of, refuse, text, version, whole
from respmark_python.errors import InvalidInputError
from respmark_python.workload.workload import Argument, Columns, Kind, Workload

MAGIC: Final = b"RESPMARK"
PREAMBLE: Final = struct.Struct("<8sII")
"""Magic, version of the layout, length of the JSON header in bytes."""
NUMBERS: Final = (
    "commands",
    "preload_keys",
    "key_digits",
    "value_multiplier",
    "value_modulus_bits",
    "value_size_min",
    "value_size_max",
    "hash_fields",
)
"""Fields of the header that are whole numbers above 0."""


def read_workload(path: Path) -> Workload:
    """Read a workload file.

    Raises:
        InvalidInputError: it cannot be read, is not a workload, is cut off, or has another version.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"workload {path} cannot be read: {error.strerror}; generate it again") from error
    workload = _parse(content, path)
    _check(workload, f"workload {path}")
    return workload


def _parse(content: bytes, path: Path) -> Workload:
    fields = Fields(_header(content, f"workload {path}"), f"workload {path}")
    fields.take("schema_version", version)
    fields.take("name", any_text)
    fields.take("seed", whole(-(1 << 63)))
    numbers = {name: fields.take(name, whole(1)) for name in NUMBERS}
    prefix, mix = fields.take("key_prefix", any_text), fields.take("mix", _mix)
    columns = _columns(fields, content)
    fields.finish()
    return Workload(path, numbers, prefix, mix, columns)


def _header(content: bytes, where: str) -> Any:
    if len(content) < PREAMBLE.size:
        refuse(where, f"is cut off: {len(content)} bytes long")
    magic, layout, length = PREAMBLE.unpack_from(content)
    if magic != MAGIC:
        refuse(where, "is not a workload file: it does not begin with RESPMARK")
    version(layout, f"{where}: layout")
    try:
        return json.loads(content[PREAMBLE.size : PREAMBLE.size + length])
    except ValueError as error:
        raise InvalidInputError(f"{where} has a header that is not JSON: {error}") from error


def _columns(fields: Fields, content: bytes) -> Columns:
    def section(value: Any, where: str) -> bytes:
        place = Fields(value, where)
        offset, length = place.take("offset", whole(0)), place.take("length", whole(0))
        place.finish()
        if offset + length > len(content):
            refuse(where, f"lies beyond the end of the file, which is cut off: {len(content)} bytes long")
        return content[offset : offset + length]

    kinds, keys, sizes, block = (fields.take(name, section) for name in ("kinds", "keys", "sizes", "block"))
    return Columns(kinds, _uint32(keys), _uint32(sizes), block)


def _uint32(content: bytes) -> "array[int]":
    numbers = array("I", content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _mix(value: Any, where: str) -> tuple[Kind, ...]:
    if not isinstance(value, list) or not value:
        refuse(where, "must be a list of commands")
    return tuple(_kind(entry, f"{where}[{index}]") for index, entry in enumerate(value))


def _kind(value: Any, where: str) -> Kind:
    fields = Fields(value, where)
    kind = Kind(fields.take("name", text), fields.take("arguments", _arguments))
    fields.finish()
    return kind


def _arguments(value: Any, where: str) -> tuple[Argument, ...]:
    if not isinstance(value, list):
        refuse(where, "must be a list of arguments")
    return tuple(_argument(entry, f"{where}[{index}]") for index, entry in enumerate(value))


def _argument(value: Any, where: str) -> Argument:
    fields = Fields(value, where)
    kind = fields.take("kind", one_of(("key", "value", "literal")))
    is_literal = kind == "literal"
    argument = Argument(kind, fields.take("text", any_text)) if is_literal else Argument(kind, "", _offset(fields))
    fields.finish()
    return argument


def _offset(fields: Fields) -> int:
    return fields.take("offset", whole(0), 0)


def _check(workload: Workload, where: str) -> None:
    columns, commands = workload.columns, workload.numbers["commands"]
    if not len(columns.kinds) == len(columns.keys) == len(columns.sizes) == commands:
        refuse(where, f"is damaged: its columns do not have one row for each of its {commands} commands")
    if strange := columns.kinds.translate(None, bytes(range(len(workload.mix)))):
        refuse(where, f"is damaged: it uses command {max(strange)} of a mix of {len(workload.mix)}")
    if len(columns.block) < (1 << workload.numbers["value_modulus_bits"]) + workload.numbers["value_size_max"]:
        refuse(where, "is damaged: its block is shorter than its values need")
