"""What each library asks of the kernel for its connections, as it was measured: `specs/sockets.json`.

`harness/bench/sockets.py` writes the file, docs/differences.md shows it, and `respmark conform` notes what differs.
"""

from typing import Final

from pydantic import Field

from respmark.contract.base import Message
from respmark.machine.sockets import Sockets

FILE: Final = "sockets.json"


class LibrarySockets(Message):
    """The open connections of a library as installed, in `sync`."""

    version: str
    """The library's own, as its runner loaded it."""
    sockets: tuple[Sockets, ...] = Field(min_length=1)


class EveryLibrarysSockets(Message):
    """All that was measured."""

    libraries: dict[str, LibrarySockets]
    """By library."""
