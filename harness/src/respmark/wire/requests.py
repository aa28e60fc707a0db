"""Finds the commands in what a client sends; hiredis reads the bytes, however they are cut."""

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


def digest_of(*arguments: bytes) -> int:
    """Return the checksum of a command's arguments: equal for equal ones, however they were split into writes."""
    digest = 0
    for word in arguments:
        digest = crc32(word, crc32(b"%d:" % len(word), digest))
    return digest


class RequestParser:
    """Cuts one connection's bytes into commands."""

    def __init__(self) -> None:
        self._reader = hiredis.Reader()
        self._due = 0
        """Bytes of commands that are not complete."""

    def feed(self, data: bytes) -> list[Request]:
        """Take the next bytes; return the commands that they complete.

        Raises:
            WireError: this is no array of bulk strings; nothing more can be read from the connection.
        """
        self._reader.feed(data)
        self._due += len(data)
        return list(self._commands())

    @property
    def is_between_commands(self) -> bool:
        """Return whether every command that has begun is complete."""
        return not self._due

    def _commands(self) -> Iterator[Request]:
        try:
            while (words := self._reader.gets()) is not False:
                yield self._request(words)
        except hiredis.ProtocolError as error:
            raise WireError(f"where a command was due came something else: {redacted(str(error))}") from error

    def _request(self, words: object) -> Request:
        if not isinstance(words, list) or not words or not all(isinstance(word, bytes) for word in words):
            raise WireError(f"where a command was due came {redacted(str(words))[:40]}")
        self._due -= sum(len(b"$%d\r\n\r\n" % len(word)) + len(word) for word in words) + len(b"*%d\r\n" % len(words))
        if self._due < 0:
            raise WireError("where a command was due came an array of something else than bulk strings")
        name, *arguments = words
        sizes = tuple(map(len, arguments[:SIZES_KEPT]))
        head = arguments[0][:HEAD_KEPT] if arguments else b""
        return Request(
            name[:HEAD_KEPT].decode("ascii", "replace").upper(), len(arguments), sizes, head, digest_of(*arguments)
        )
