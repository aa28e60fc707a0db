"""What a library asks of the kernel for its connections: TCP_NODELAY, keep-alive, user time-out; see tcp(7).

The kernel tells the settings of a socket only to a process that holds it, so a copy of each of a runner's sockets is
taken for a moment (pidfd_getfd(2)). A parent may do that with its children, without any privilege, unless Yama's
ptrace_scope is 2 or 3, or a container's rules forbid the call.
"""

import ctypes
import errno
import os
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Final

from respmark.contract.base import Count, Message, PositiveCount
from respmark.machine.kernel import PROC

PIDFD_GETFD: Final = 438
"""The system call's number, the same on every architecture that respmark runs on; C libraries before 2022 lack it."""
C_LIBRARY: Final = ctypes.CDLL(None, use_errno=True)
INTERNET: Final = frozenset({socket.AF_INET, socket.AF_INET6})
GONE: Final = frozenset({errno.ENOENT, errno.EBADF})
"""Errors that say that the process has closed a descriptor meanwhile."""


class KeepAlive(Message):
    """When the kernel asks whether the other side is still there, and when it breaks the connection."""

    idle_s: Count
    """How long nothing must have come before it sends the first probe (TCP_KEEPIDLE)."""
    interval_s: Count
    """How long it waits for an answer to each (TCP_KEEPINTVL)."""
    probes: Count
    """How many may stay unanswered (TCP_KEEPCNT)."""


class SocketSettings(Message):
    """What holds for a connection; what a library leaves alone is the kernel's default."""

    no_delay: bool
    """Whether a small write goes out at once, although the one before it is not acknowledged yet (TCP_NODELAY)."""
    keep_alive: KeepAlive | None = None
    """Null: the kernel never asks (SO_KEEPALIVE is off)."""
    user_timeout_ms: PositiveCount | None = None
    """How long what was sent may stay unacknowledged before the connection is broken (TCP_USER_TIMEOUT); null: as long
    as the kernel tries again, about 15 minutes on Linux."""

    def __str__(self) -> str:
        alive, limit_ms = self.keep_alive, self.user_timeout_ms
        return ", ".join(
            (
                f"TCP_NODELAY {'on' if self.no_delay else 'off'}",
                "no keep-alive"
                if alive is None
                else f"keep-alive after {alive.idle_s:,} s ({alive.probes} probes every {alive.interval_s:,} s)",
                "no user time-out" if limit_ms is None else f"user time-out {limit_ms / 1000:g} s",
            )
        )


class Sockets(Message):
    """Connections with the same settings."""

    connections: PositiveCount
    settings: SocketSettings


Take = Callable[[int, int], int]
"""Returns a copy of a descriptor of a process, by that process's pidfd and the descriptor's number there."""


def take(pidfd: int, descriptor: int) -> int:
    """Return a copy of another process's descriptor; raises OSError if the kernel refuses it."""
    copy: int = C_LIBRARY.syscall(PIDFD_GETFD, pidfd, descriptor, 0)
    if copy < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return copy


def sockets_to(pid: int, port: int, take: Take = take) -> list[Sockets] | None:
    """Return a process's TCP connections to a port, by settings; None if the kernel does not let us look.

    The port alone says whose they are: a runner connects to nothing but its server, whose name may have many addresses.
    """
    if sys.platform != "linux":
        return None
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return None
    try:
        found = Counter(_settings(one) for one in _copies(pid, pidfd, take) if _is_to(port, one))
    except OSError:
        return None
    finally:
        os.close(pidfd)
    return [Sockets(connections=count, settings=settings) for settings, count in found.most_common()]


def together(readings: Iterable[list[Sockets] | None]) -> list[Sockets] | None:
    """Return the connections of several processes; None if none was seen."""
    found = Counter[SocketSettings]()
    for one in chain.from_iterable(filter(None, readings)):
        found[one.settings] += one.connections
    return [Sockets(connections=count, settings=settings) for settings, count in found.most_common()] or None


def _copies(pid: int, pidfd: int, take: Take) -> Iterator[socket.socket]:
    """Yield a copy of each socket of a process, which is closed when the next one is asked for."""
    for link in (PROC / str(pid) / "fd").iterdir():
        try:
            copy = take(pidfd, int(link.name)) if str(link.readlink()).startswith("socket:") else None
        except OSError as error:
            if error.errno not in GONE:
                raise
            continue
        if copy is not None:
            with socket.socket(fileno=copy) as one:
                yield one


def _is_to(port: int, one: socket.socket) -> bool:
    if one.family not in INTERNET or one.type != socket.SOCK_STREAM:
        return False
    with suppress(OSError):  # it is not connected
        return bool(one.getpeername()[1] == port)
    return False


def _settings(one: socket.socket) -> SocketSettings:
    def tcp(option: int) -> int:
        return one.getsockopt(socket.IPPROTO_TCP, option)

    idle, interval, probes = map(tcp, (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT))
    is_alive = one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    return SocketSettings(
        no_delay=bool(tcp(socket.TCP_NODELAY)),
        keep_alive=KeepAlive(idle_s=idle, interval_s=interval, probes=probes) if is_alive else None,
        user_timeout_ms=tcp(socket.TCP_USER_TIMEOUT) or None,
    )
