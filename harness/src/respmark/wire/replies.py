"""Finds where replies end in what a server sends, in RESP2 and RESP3, without reading their values.

However the bytes are cut, it finds the same ends; its pieces, put together, are the bytes that it was fed.
"""

from dataclasses import dataclass
from typing import Final

from respmark.errors import WireError
from respmark.redaction import redacted

LINE_LIMIT: Final = 64 * 1024
"""Redis refuses longer lines, too."""
BULK_LIMIT: Final = 512 * 1024 * 1024
END_OF_LINE: Final = 2
LINES: Final = frozenset(b"+-:_#,(")
"""Types that consist of one line."""
BULKS: Final = frozenset(b"$!=")
"""Types with a length, followed by that many bytes."""
AGGREGATES: Final = {ord("*"): 1, ord("~"): 1, ord(">"): 1, ord("%"): 2, ord("|"): 2}
"""Types with a count, and how many elements each unit of the count stands for."""
ATTRIBUTE: Final = ord("|")
ELEMENTS_LIMIT: Final = 1 << 32
NESTING_LIMIT: Final = 128
TEXT_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply, as the server sent it."""

    kind: str
    """Its first character: `+`, `-`, `$`, `*`, ..."""
    size: int
    """Bytes on the wire."""
    text: str
    """Its first line without the type."""

    @property
    def is_error(self) -> bool:
        """Return whether the server refused the command."""
        return self.kind in "-!"

    @property
    def is_push(self) -> bool:
        """Return whether it is a push, which answers no command."""
        return self.kind == ">"


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of one reply; `reply` comes with the last of them."""

    data: bytes
    reply: Reply | None


class ReplySplitter:
    """Cuts one connection's bytes into replies."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._left = 0
        """Bytes still to come of the current bulk, including its end of line."""
        self._open: list[tuple[int, int]] = []
        """Aggregates that are not complete: type, and elements still to come."""
        self._size = 0
        self._first = b""

    def feed(self, data: bytes) -> list[Piece]:
        """Take the next bytes; return them cut where replies end.

        Raises:
            WireError: this is not RESP; nothing more can be read from the connection.
        """
        pieces: list[Piece] = []
        begin = position = 0
        while position < len(data):
            position, ended = self._step(data, position)
            if ended:
                pieces.append(self._piece(data[begin:position], whole=True))
                begin = position
        if begin < len(data):
            pieces.append(self._piece(data[begin:], whole=False))
        return pieces

    def _step(self, data: bytes, position: int) -> tuple[int, bool]:
        """Advance to the end of a line, a bulk or the data; return the position, and whether a reply ends there."""
        if self._left:
            taken = min(self._left, len(data) - position)
            self._left -= taken
            return position + taken, not self._left and self._element_ended()
        end = data.find(b"\n", position)
        self._line += data[position:] if end < 0 else data[position : end + 1]
        if len(self._line) > LINE_LIMIT:
            message = f"a line of more than {LINE_LIMIT} bytes is no RESP"
            raise WireError(message)
        return (len(data), False) if end < 0 else (end + 1, self._line_ended())

    def _line_ended(self) -> bool:
        line = bytes(self._line)
        self._line.clear()
        self._first = self._first or line
        kind = line[0]
        if kind in LINES and line.endswith(b"\r\n"):
            return self._element_ended()
        if kind in BULKS:
            return self._bulk_begins(_number(line, BULK_LIMIT))
        if kind in AGGREGATES:
            return self._aggregate_begins(kind, _number(line, ELEMENTS_LIMIT))
        shown = redacted(line.decode("ascii", "replace"))[:40].rstrip()
        message = f"where a reply was due came `{shown}`"
        raise WireError(message)

    def _bulk_begins(self, size: int) -> bool:
        if size < 0:
            return self._element_ended()
        self._left = size + END_OF_LINE
        return False

    def _aggregate_begins(self, kind: int, count: int) -> bool:
        if len(self._open) == NESTING_LIMIT:
            message = f"a reply nested deeper than {NESTING_LIMIT}"
            raise WireError(message)
        if count > 0:
            self._open.append((kind, count * AGGREGATES[kind]))
            return False
        return kind != ATTRIBUTE and self._element_ended()

    def _element_ended(self) -> bool:
        """Count an element of its aggregate; return whether the whole reply ended with it."""
        while self._open:
            kind, due = self._open.pop()
            if due > 1:
                self._open.append((kind, due - 1))
                return False
            if kind == ATTRIBUTE:
                # The reply that it describes comes after it.
                return False
        return True

    def _piece(self, data: bytes, *, whole: bool) -> Piece:
        self._size += len(data)
        if not whole:
            return Piece(data, None)
        # Redacted before it is cut: half a password would not be found.
        text = redacted(self._first[1:].rstrip().decode("utf-8", "replace"))[:TEXT_KEPT]
        reply = Reply(chr(self._first[0]), self._size, text)
        self._size, self._first = 0, b""
        return Piece(data, reply)


def _number(line: bytes, most: int) -> int:
    """Read the number in a line such as `*3` or `$12`; -1 stands for nothing.

    Raises:
        WireError: it is not such a line, or the number is out of bounds.
    """
    digits = line[1:-2]
    if not (line.endswith(b"\r\n") and digits.removeprefix(b"-").isdigit() and -1 <= int(digits) <= most):
        shown = redacted(line.decode("ascii", "replace"))[:40].rstrip()
        raise WireError(f"where a length was due came `{shown}`")
    return int(digits)
