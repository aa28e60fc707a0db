"""The workload file: a small JSON header, then columns of fixed-width numbers and the block of value bytes.

The harness reads it; runners read the columns that are written beside it (`columns.py`). Little-endian: 8 bytes
`RESPMARK`, uint32 version of the layout, uint32 length of the header, the header padded with spaces, then each column
where the header says.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from respmark.contract.base import SCHEMA_VERSION, Count, Message, PositiveCount, SchemaVersion
from respmark.errors import WorkloadFileError
from respmark.files import told_if_not_written, write_whole
from respmark.workload import values
from respmark.workload.spec import Argument

MAGIC: Final = b"RESPMARK"
PREAMBLE: Final = struct.Struct("<8sII")
"""Magic, version of the layout, length of the JSON header in bytes."""
ALIGNMENT: Final = 8


class Section(Message):
    """Where a column lies in the file."""

    offset: Count
    """From the start of the file, in bytes; a multiple of 8."""
    length: Count
    """In bytes."""


class FileCommand(Message):
    """One kind of command; `kinds` holds its index."""

    name: str
    arguments: tuple[Argument, ...]


class Header(Message):
    """The JSON header of a workload file."""

    schema_version: SchemaVersion
    name: str
    seed: int
    commands: PositiveCount
    """Rows in the columns."""
    preload_keys: PositiveCount
    """Keys 0 to preload_keys - 1 exist before the trial; a GET of any other key is a miss."""
    key_prefix: str
    key_digits: PositiveCount
    value_multiplier: PositiveCount
    value_modulus_bits: PositiveCount
    value_size_min: PositiveCount
    value_size_max: PositiveCount
    hash_fields: PositiveCount
    """Fields of each preloaded hash."""
    mix: tuple[FileCommand, ...]
    kinds: Section
    """uint8 a row: index into `mix`."""
    keys: Section
    """uint32 a row, little-endian: number of the key."""
    sizes: Section
    """uint32 a row, little-endian: bytes of the value; 0 where the command has none."""
    block: Section
    """The bytes that values are cut from."""


@dataclass(frozen=True)
class Workload:
    """A workload in memory, its columns as arrays of equal length."""

    header: Header
    kinds: npt.NDArray[np.uint8]
    keys: npt.NDArray[np.uint32]
    sizes: npt.NDArray[np.uint32]
    block: bytes

    def key(self, number: int) -> bytes:
        """Return the key with this number, as it is sent."""
        return f"{self.header.key_prefix}{number:0{self.header.key_digits}d}".encode()

    def value(self, key: int, size: int) -> bytes:
        """Return the value of key number `key` with `size` bytes."""
        begin = values.start(key, self.header.value_modulus_bits)
        return self.block[begin : begin + size]


def aligned(position: int) -> int:
    """Round a position in the file up to the next multiple of 8."""
    return -(-position // ALIGNMENT) * ALIGNMENT


def lay_out(fields: Mapping[str, Any], columns: Mapping[str, bytes]) -> tuple[Header, bytes]:
    """Place the columns behind the header; return the header with their places, and its JSON, padded with spaces."""
    # The header contains the offsets, so its length must not depend on them: it gets room for the longest.
    longest = {name: Section(offset=10**12, length=len(column)) for name, column in columns.items()}
    room = aligned(len(Header(**{**fields, **longest}).model_dump_json().encode()))
    position = aligned(PREAMBLE.size + room)
    places = {}
    for name, column in columns.items():
        places[name] = Section(offset=position, length=len(column))
        position = aligned(position + len(column))
    header = Header(**{**fields, **places})
    return header, header.model_dump_json().encode().ljust(room)


def write(workload: Workload, path: Path) -> None:
    """Write the file, whole or not at all.

    Raises:
        NothingRanError: there is no room for it.
    """
    with told_if_not_written(path):
        write_whole(path, content(workload))


def content(workload: Workload) -> bytes:
    """Return the bytes of the file."""
    columns = {
        "kinds": workload.kinds.astype("u1").tobytes(),
        "keys": workload.keys.astype("<u4").tobytes(),
        "sizes": workload.sizes.astype("<u4").tobytes(),
        "block": workload.block,
    }
    fields = {name: value for name, value in workload.header if name not in columns}
    header, text = lay_out(fields, columns)
    made = bytearray(PREAMBLE.pack(MAGIC, SCHEMA_VERSION, len(text)) + text)
    for name, column in columns.items():
        made.extend(bytes(getattr(header, name).offset - len(made)))
        made.extend(column)
    return bytes(made)


def read(path: Path) -> Workload:
    """Read a workload file.

    Raises:
        WorkloadFileError: the file is not a workload, is newer than this version, or is cut off.
    """
    found = path.read_bytes()
    header = _read_header(found, path)

    def column(section: Section) -> bytes:
        part = found[section.offset : section.offset + section.length]
        if len(part) != section.length:
            raise WorkloadFileError(path, f"it is cut off: {len(found)} bytes long")
        return part

    return Workload(
        header=header,
        kinds=np.frombuffer(column(header.kinds), dtype="u1"),
        keys=np.frombuffer(column(header.keys), dtype="<u4"),
        sizes=np.frombuffer(column(header.sizes), dtype="<u4"),
        block=column(header.block),
    )


def _read_header(found: bytes, path: Path) -> Header:
    if len(found) < PREAMBLE.size:
        raise WorkloadFileError(path, f"it is cut off: {len(found)} bytes long")
    magic, version, length = PREAMBLE.unpack_from(found)
    if magic != MAGIC:
        raise WorkloadFileError(path, "it does not begin with RESPMARK")
    if version > SCHEMA_VERSION:
        raise WorkloadFileError(path, f"its schema_version {version} is newer than {SCHEMA_VERSION}; update respmark")
    try:
        return Header.model_validate_json(found[PREAMBLE.size : PREAMBLE.size + length])
    except ValueError as error:
        raise WorkloadFileError(path, f"its header does not read: {error}") from error
