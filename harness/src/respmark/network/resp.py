"""Finds the messages in a stream of RESP2 or RESP3, however its bytes are cut."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from zlib import crc32

import hiredis

from respmark.errors import WireError
from respmark.redaction import redacted

TEXT_KEPT: Final = 200
MORE: Final = object()
"""What the parser returns in place of a message that is not complete."""
PUSH: Final = b">"
CONFIRMED: Final = re.compile(rb">\d+\r\n\$\d+\r\n[ps]?(?:un)?subscribe\r\n")
"""How the only pushes begin that answer a command."""


def digest_of(arguments: Sequence[bytes]) -> int:
    """Return the checksum of a command's arguments."""
    digest = 0
    for word in arguments:
        digest = crc32(word, crc32(b"%d:" % len(word), digest))
    return digest


def error_of(reply: bytes) -> str | None:
    """Return the message of an error reply."""
    if not reply.startswith(b"-"):
        return None
    # Redacted before it is cut: half a password would not be found.
    return redacted(reply[1:].rstrip().decode("utf-8", "replace"))[:TEXT_KEPT]


def answers_nothing(message: bytes) -> bool:
    """Return whether a message from the server is a push that no command asked for, such as an invalidation."""
    return message.startswith(PUSH) and CONFIRMED.match(message) is None


class RespStream:
    """One direction of a connection: commands or replies."""

    def __init__(self) -> None:
        self.rest = bytearray()
        """Bytes of a message that is not complete, or of what is no message."""
        self._reader = hiredis.Reader(notEnoughData=MORE)

    def feed(self, data: bytes) -> Iterator[tuple[bytes, object]]:
        """Take the next bytes; yield the messages that they complete, each as its bytes and as what they mean.

        Raises WireError if this is not RESP: nothing more can be read from the connection.
        """
        end = len(self.rest)
        self.rest += data
        # hiredis does not say where a message ends, but all of them end with a line.
        for line in data.splitlines(keepends=True):
            end += len(line)
            self._reader.feed(line)
            if (message := self._next()) is not MORE:
                yield bytes(self.rest[:end]), message
                del self.rest[:end]
                end = 0

    def _next(self) -> object:
        try:
            return self._reader.gets()
        except (hiredis.ProtocolError, TypeError) as error:  # TypeError: a map whose keys are lists
            raise WireError(f"received data is not RESP: {redacted(str(error))}") from error
