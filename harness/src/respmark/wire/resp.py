"""Finds the commands and the replies in streams of RESP2 and RESP3, however their bytes are cut."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from zlib import crc32

import hiredis

from respmark.errors import WireError
from respmark.redaction import redacted

SIZES_KEPT: Final = 16
"""Further arguments are counted, but their sizes are not kept."""
HEAD_KEPT: Final = 64
"""Bytes kept of a command's name and of its first argument."""
TEXT_KEPT: Final = 200
LINES: Final = frozenset(b"+-:_#,(")
"""Types that consist of one line."""
BULKS: Final = frozenset(b"$!=")
"""Types with a length, followed by that many bytes."""
AGGREGATES: Final = {ord("*"): 1, ord("~"): 1, ord(">"): 1, ord("%"): 2, ord("|"): 2}
"""Types with a count, and how many elements each unit of the count stands for."""
ATTRIBUTE: Final = ord("|")
"""Describes the reply that comes after it."""
TYPES: Final = frozenset({*LINES, *BULKS, *AGGREGATES})


@dataclass(frozen=True, slots=True)
class Request:
    """One command as it was sent."""

    name: str
    """Upper case."""
    arguments: int
    """How many, without the name."""
    sizes: tuple[int, ...]
    """Bytes of the first arguments."""
    head: bytes
    """Beginning of the first argument: the key, if the command has one."""
    digest: int
    """Checksum of the arguments; see `digest_of`."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply, as the server sent it."""

    data: bytes

    @property
    def kind(self) -> str:
        """Return its first character: `+`, `-`, `$`, `*`, ..."""
        return chr(self.data[0])

    @property
    def error(self) -> str | None:
        """Return the message of an error reply."""
        if self.kind not in "-!":
            return None
        line = self.data[1:] if self.kind == "-" else self.data.partition(b"\r\n")[2]
        # Redacted before it is cut: half a password would not be found.
        return redacted(line.rstrip().decode("utf-8", "replace"))[:TEXT_KEPT]

    @property
    def is_push(self) -> bool:
        """Return whether it is a push, which answers no command."""
        return self.kind == ">"


def digest_of(*arguments: bytes) -> int:
    """Return the checksum of a command's arguments."""
    digest = 0
    for word in arguments:
        digest = crc32(word, crc32(b"%d:" % len(word), digest))
    return digest


class RequestParser:
    """Cuts what a client sends into commands."""

    def __init__(self) -> None:
        self._reader = hiredis.Reader()

    def feed(self, data: bytes) -> Iterator[Request]:
        """Take the next bytes; yield the commands that they complete.

        Raises:
            WireError: this is no command; nothing more can be read from the connection.
        """
        self._reader.feed(data)
        try:
            while (words := self._reader.gets()) is not False:
                yield _request(words)
        except hiredis.ProtocolError as error:
            raise WireError(f"where a command was due came something else: {redacted(str(error))}") from error


def _request(words: object) -> Request:
    if not isinstance(words, list) or not words or not all(isinstance(word, bytes) for word in words):
        raise WireError(f"where a command was due came {redacted(str(words))[:40]}")
    name, *arguments = words
    return Request(
        name=name[:HEAD_KEPT].decode("ascii", "replace").upper(),
        arguments=len(arguments),
        sizes=tuple(map(len, arguments[:SIZES_KEPT])),
        head=arguments[0][:HEAD_KEPT] if arguments else b"",
        digest=digest_of(*arguments),
    )


class ReplySplitter:
    """Cuts what a server sends into replies."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Reply]:
        """Take the next bytes; yield the replies that they complete.

        Raises:
            WireError: this is not RESP; nothing more can be read from the connection.
        """
        self._buffer += data
        while (end := _end_of_reply(self._buffer)) is not None:
            reply = Reply(bytes(self._buffer[:end]))
            del self._buffer[:end]
            yield reply

    def drain(self) -> bytes:
        """Give up the bytes of a reply that is not complete."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest


def _end_of_reply(data: bytearray) -> int | None:
    """Return where the first reply ends; None if more bytes are needed."""
    position, due = 0, 1
    while due:
        line_end = data.find(b"\r\n", position)
        if line_end < 0:
            _check_type(data[position : position + 1])
            return None
        _check_type(data[position:line_end])
        kind = data[position]
        due -= kind != ATTRIBUTE
        count = 0 if kind in LINES else _count(data[position + 1 : line_end])
        position = line_end + 2
        if kind in BULKS and count >= 0:
            position += count + 2
        elif kind in AGGREGATES:
            due += max(0, count) * AGGREGATES[kind]
    return position if position <= len(data) else None


def _check_type(line: bytearray) -> None:
    if line and line[0] not in TYPES:
        raise WireError(f"where a reply was due came `{redacted(line.decode('ascii', 'replace'))[:40]}`")


def _count(digits: bytearray) -> int:
    try:
        return int(digits)
    except ValueError as error:
        shown = redacted(digits.decode("ascii", "replace"))[:40]
        raise WireError(f"where a length was due came `{shown}`") from error
