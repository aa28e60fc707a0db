"""Finds the commands in what a client sends: arrays of bulk strings, and inline commands.

However the bytes are cut, it finds the same commands. It keeps sizes, a checksum, and the beginnings of names and first
arguments, but never a value: its memory does not grow with what is sent.
"""

from dataclasses import dataclass
from typing import Final
from zlib import crc32

from respmark.errors import WireError
from respmark.redaction import redacted

LINE_LIMIT: Final = 64 * 1024
"""Redis refuses longer lines, too."""
ARGUMENTS_LIMIT: Final = 1024 * 1024
BULK_LIMIT: Final = 512 * 1024 * 1024
SIZES_KEPT: Final = 16
"""Further arguments are counted, but their sizes are not kept."""
HEAD_KEPT: Final = 64
"""Bytes kept of a command's name and of its first argument."""
END_OF_LINE: Final = 2


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
        self._line = bytearray()
        self._words_due = 0
        self._left = 0
        """Bytes still to come of the current word, including its end of line."""
        self._begin()

    def feed(self, data: bytes) -> list[Request]:
        """Take the next bytes; return the commands that they complete.

        Raises:
            WireError: this is not RESP; nothing more can be read from the connection.
        """
        found: list[Request] = []
        position = 0
        while position < len(data):
            take = self._take_word if self._left else self._take_line
            position = take(data, position, found)
        return found

    @property
    def is_between_commands(self) -> bool:
        """Return whether every command that has begun is complete."""
        return not (self._line or self._words_due or self._left)

    def _begin(self) -> None:
        self._words = 0
        self._name = bytearray()
        self._head = bytearray()
        self._sizes: list[int] = []
        self._digest = 0

    def _take_line(self, data: bytes, position: int, found: list[Request]) -> int:
        end = data.find(b"\n", position)
        self._line += data[position:] if end < 0 else data[position : end + 1]
        if len(self._line) > LINE_LIMIT:
            message = f"a line of more than {LINE_LIMIT} bytes is no RESP"
            raise WireError(message)
        if end < 0:
            return len(data)
        line = bytes(self._line)
        self._line.clear()
        self._read_line(line, found)
        return end + 1

    def _read_line(self, line: bytes, found: list[Request]) -> None:
        if self._words_due:
            self._left = number(line, b"$", BULK_LIMIT) + END_OF_LINE
            self._open_word(self._left - END_OF_LINE)
        elif line.startswith(b"*"):
            self._words_due = max(0, number(line, b"*", ARGUMENTS_LIMIT, lowest=-1))
        else:
            self._read_inline(line.split(), found)

    def _read_inline(self, words: list[bytes], found: list[Request]) -> None:
        for word in words:
            self._open_word(len(word))
            self._add(word)
        if words:
            found.append(self._request())

    def _open_word(self, size: int) -> None:
        self._words += 1
        if self._words > 1:
            self._digest = crc32(b"%d:" % size, self._digest)
        if 1 < self._words <= SIZES_KEPT + 1:
            self._sizes.append(size)

    def _take_word(self, data: bytes, position: int, found: list[Request]) -> int:
        part = data[position : position + self._left]
        body = self._left - END_OF_LINE
        self._add(part[: max(0, body)])
        for offset in range(max(0, body), len(part)):
            self._check_end(part[offset], offset - body)
        self._left -= len(part)
        if not self._left:
            self._close_word(found)
        return position + len(part)

    def _check_end(self, byte: int, place: int) -> None:
        if byte != b"\r\n"[place]:
            message = "an argument does not end where its length says"
            raise WireError(message)

    def _add(self, part: bytes) -> None:
        if self._words > 1:
            self._digest = crc32(part, self._digest)
        kept = {1: self._name, 2: self._head}.get(self._words)
        if kept is not None:
            kept += part[: HEAD_KEPT - len(kept)]

    def _close_word(self, found: list[Request]) -> None:
        self._words_due -= 1
        if not self._words_due:
            found.append(self._request())

    def _request(self) -> Request:
        name = self._name.decode("ascii", "replace").upper()
        request = Request(name, self._words - 1, tuple(self._sizes), bytes(self._head), self._digest)
        self._begin()
        return request


def number(line: bytes, sign: bytes, most: int, lowest: int = 0) -> int:
    """Read the number in a line such as `*3` or `$12`.

    Raises:
        WireError: it is not such a line, or the number is out of bounds.
    """
    digits = line[1:-2]
    if not (line.startswith(sign) and line.endswith(b"\r\n") and digits.removeprefix(b"-").isdigit()):
        shown = redacted(line.decode("ascii", "replace"))[:40].rstrip()
        message = f"where `{sign.decode()}` and a number were due came `{shown}`"
        raise WireError(message)
    value = int(digits)
    if not lowest <= value <= most:
        message = f"`{sign.decode()}{value}` is out of bounds"
        raise WireError(message)
    return value
