"""What a relay can do to connections in place of passing bytes on: what faults are made of.

Standard library alone, as the relay's program starts with it.
"""

import contextlib
import ctypes
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Treatment(StrEnum):
    """What becomes of a connection."""

    PASS = "pass"  # noqa: S105 - a way to treat bytes
    """Bytes are passed on; what was held or dropped is passed on first."""
    HOLD = "hold"
    """Bytes and ends are read, in both directions, and passed on in their order when something else is done."""
    RESET = "reset"
    """Closed with RST; for connections that exist."""
    DROP = "drop"
    """The kernel drops its packets before TCP sees them, and nothing is sent: the host is gone. New connections: those
    that would open them."""
    DISCARD = "discard"
    """Bytes and ends are acknowledged, and thrown away; for good, as the rest would make no sense without them. For
    connections that exist."""
    REFUSE = "refuse"
    """Commands get an error in place of their reply, in its order."""
    VANISH = "vanish"
    """Closed without a packet: what is sent on it afterwards gets RST. For connections that exist."""
    CLOSED = "closed"
    """Nothing listens; for new connections."""


@dataclass(frozen=True)
class Refusal:
    """An error, and who gets it."""

    error: str
    """As servers write it, without the `-` before it."""
    but: tuple[str, ...] = ()
    """Commands that are passed on nevertheless, in capitals."""
    only: tuple[str, ...] = ()
    """The only commands that are refused; empty: all."""
    closes: bool = False
    """New connections get the error at once, and are closed."""

    @property
    def reply(self) -> bytes:
        """Return it as it is sent."""
        return f"-{self.error}\r\n".encode()

    def concerns(self, command: bytes) -> bool:
        """Return whether a command is refused."""
        name = command.decode(errors="replace").upper()
        return name not in self.but and (not self.only or name in self.only)


SO_ATTACH_FILTER: Final = 26
SO_DETACH_FILTER: Final = 27
TCP_REPAIR: Final = 19
_NOTHING: Final = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0))
"""The filter that keeps nothing of a packet: one instruction, to return 0."""
_FILTER: Final = struct.pack("@HP", 1, ctypes.addressof(_NOTHING))
"""struct sock_fprog: the number of instructions, and where they are."""


def drop(one: socket.socket) -> None:
    """Let the kernel drop all packets that come for a socket; raises OSError if this user may not."""
    one.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, _FILTER)


def drop_no_more(one: socket.socket) -> None:
    """Let a socket get its packets again."""
    one.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)


def reset_when_closed(one: socket.socket) -> None:
    """Let closing a socket send RST."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def vanish_when_closed(one: socket.socket) -> None:
    """Let closing a socket send nothing; raises OSError if this user may not."""
    one.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)


def can_drop() -> bool:
    """Return whether packets can be dropped here."""
    return _can(drop)


def can_vanish() -> bool:
    """Return whether connections can vanish here: CAP_NET_ADMIN is needed."""
    return _can(vanish_when_closed)


def _can(do: Callable[[socket.socket], None]) -> bool:
    with contextlib.suppress(OSError), socket.socket() as tried:
        do(tried)
        return sys.platform == "linux"
    return False
