"""Finds the commands and the replies in streams of RESP2 and RESP3, however their bytes are cut."""

from collections.abc import Iterator, Sequence
from typing import Final, NoReturn
from zlib import crc32

import hiredis

from respmark.errors import WireError
from respmark.redaction import redacted

TEXT_KEPT: Final = 200
LINES: Final = frozenset(b"+-:_#,(")
"""Types that consist of one line."""
BULKS: Final = frozenset(b"$!=")
"""Types with a length, followed by that many bytes."""
AGGREGATES: Final = {ord("*"): 1, ord("~"): 1, ord(">"): 1, ord("%"): 2, ord("|"): 2}
"""Types with a count, and how many elements each unit of the count stands for."""
TYPES: Final = frozenset({*LINES, *BULKS, *AGGREGATES})
ATTRIBUTE: Final = ord("|")
"""Describes the reply that comes after it."""
PUSH: Final = b">"
"""Begins a push, which answers no command."""


def digest_of(arguments: Sequence[bytes]) -> int:
    """Return the checksum of a command's arguments."""
    digest = 0
    for word in arguments:
        digest = crc32(word, crc32(b"%d:" % len(word), digest))
    return digest


def error_of(reply: bytes) -> str | None:
    """Return the message of an error reply."""
    if reply[:1] not in {b"-", b"!"}:
        return None
    line = reply[1:] if reply[:1] == b"-" else reply.partition(b"\r\n")[2]
    # Redacted before it is cut: half a password would not be found.
    return redacted(line.rstrip().decode("utf-8", "replace"))[:TEXT_KEPT]


class CommandParser:
    """Cuts what a client sends into commands."""

    def __init__(self) -> None:
        self._reader = hiredis.Reader()

    def feed(self, data: bytes) -> Iterator[list[bytes]]:
        """Take the next bytes; yield the words of the commands that they complete.

        Raises WireError if this is no command; nothing more can be read from the connection.
        """
        self._reader.feed(data)
        try:
            while (words := self._reader.gets()) is not False:
                if not (isinstance(words, list) and words and all(isinstance(word, bytes) for word in words)):
                    _refuse("a command", str(words))
                yield words
        except hiredis.ProtocolError as error:
            _refuse("a command", str(error))


class ReplySplitter:
    """Cuts what a server sends into replies."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes; yield the replies that they complete.

        Raises WireError if this is not RESP; nothing more can be read from the connection.
        """
        self._buffer += data
        while (end := _end_of_reply(self._buffer)) is not None:
            reply = bytes(self._buffer[:end])
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
        if position < len(data) and data[position] not in TYPES:
            _refuse("a reply", data[position:].decode("ascii", "replace"))
        line_end = data.find(b"\r\n", position)
        if line_end < 0:
            return None
        kind = data[position]
        due -= kind != ATTRIBUTE
        count = 0 if kind in LINES else _count(data[position + 1 : line_end])
        position = line_end + 2
        if kind in BULKS and count >= 0:
            position += count + 2
        elif kind in AGGREGATES:
            due += max(0, count) * AGGREGATES[kind]
    return position if position <= len(data) else None


def _count(digits: bytearray) -> int:
    try:
        return int(digits)
    except ValueError:
        _refuse("a length", digits.decode("ascii", "replace"))


def _refuse(due: str, came: str) -> NoReturn:
    raise WireError(f"where {due} was due came `{redacted(came)[:40].rstrip()}`")
