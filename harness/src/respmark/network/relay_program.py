"""A relay between clients and a server that holds bytes back, so that clients see a round trip of so long.

Requests pass at once and replies are held: a client that waits for a reply cannot tell on which way it was late. The
first request of a connection is held as well, for the round trip of its TCP handshake, which the kernel answers itself.
Bytes are passed on as they come, TLS included, and one server connection stands for each client connection.

Runs as a program of its own (`python -m respmark.network.relay_program`), so that nobody else's work delays it. Linux
only: as epoll waits whole milliseconds, a timerfd wakes it.
"""

import contextlib
import ctypes
import json
import select
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Final

CHUNK: Final = 1 << 18
"""Bytes read at a time."""
FULL: Final = 1 << 20
"""A side that has not taken so many bytes yet gets no more: what sends to it is not read meanwhile."""
CONNECT_LIMIT_S: Final = 5.0
Address = tuple[str, int] | str
"""Host and port, or the path of a unix socket."""


class Timer:
    """Wakes an epoll at a moment of CLOCK_MONOTONIC, to the microsecond."""

    _CLOCK_MONOTONIC: Final = 1
    _ABSOLUTE: Final = 1
    _NONBLOCKING: Final = 0o4000

    class _Setting(ctypes.Structure):
        """struct itimerspec: the interval, which is none, and the moment, each in s and ns."""

        _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "at_s", "at_ns")]

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.timerfd_create(self._CLOCK_MONOTONIC, self._NONBLOCKING)

    def set(self, at_ns: int) -> None:
        """Wake at this moment; 0: not at all. Ends an earlier wake-up."""
        setting = self._Setting(0, 0, *divmod(at_ns, 1_000_000_000))
        self._libc.timerfd_settime(self.fd, self._ABSOLUTE, ctypes.byref(setting), None)


@dataclass(eq=False)
class Side:
    """One end of a relayed connection."""

    socket: socket.socket
    is_client: bool
    other: "Side" = field(init=False)
    unsent: bytearray = field(default_factory=bytearray)
    """What the socket had no room for."""
    is_new: bool = True
    """Whether nothing has been sent to it."""
    held: int = 0
    """How much of `_held` is for it."""
    is_ending: bool = False
    """Whether it is closed when `unsent` is empty."""
    watched: int = select.EPOLLIN
    """What the epoll watches it for."""


class Links:
    """Every connection to `listener`, relayed to `server`; `hold_ns` is how long a reply is held."""

    def __init__(self, listener: socket.socket, server: Address) -> None:
        self.hold_ns = 0
        self._listener, self._server = listener, server
        self._sides: dict[int, Side] = {}
        self._held: deque[tuple[int, Side, bytes]] = deque()
        """What is due when, in this order as everything is held equally long; no bytes: the end."""
        self._timer, self._set_ns = Timer(), 0
        self._epoll = select.epoll()
        self._epoll.register(listener, select.EPOLLIN)
        self._epoll.register(self._timer.fd, select.EPOLLIN)

    def run(self, orders: int) -> None:
        """Relay until `orders`, a descriptor, has something to read."""
        self._epoll.register(orders, select.EPOLLIN)
        try:
            while True:
                for fd, events in self._epoll.poll():
                    if fd == orders:
                        return
                    self._handle(fd, events)
                self._pass_on_due()
        finally:
            self._epoll.unregister(orders)

    def _handle(self, fd: int, events: int) -> None:
        if fd == self._listener.fileno():
            self._accept()
        elif (side := self._sides.get(fd)) is not None:
            if events & select.EPOLLOUT:
                self._flush(side)
            if events & ~select.EPOLLOUT and fd in self._sides:
                self._read(side)

    def _accept(self) -> None:
        accepted, _ = self._listener.accept()
        try:
            server = connected(self._server)
        except OSError:
            accepted.close()  # as a server does that refuses a connection
            return
        sides = Side(accepted, is_client=True), Side(server, is_client=False)
        for side, other in (sides, sides[::-1]):
            side.other = other
            side.socket.settimeout(0)
            if side.socket.family != socket.AF_UNIX:
                side.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sides[side.socket.fileno()] = side
            self._epoll.register(side.socket, select.EPOLLIN)

    def _read(self, side: Side) -> None:
        try:
            content = side.socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self._unregister(side)
        to = side.other
        if side.is_client and not to.is_new and not to.held:
            self._pass_on(to, content)
        else:
            to.is_new = False
            to.held += 1
            self._held.append((time.monotonic_ns() + self.hold_ns, to, content))

    def _pass_on_due(self) -> None:
        now_ns = time.monotonic_ns()
        while self._held and self._held[0][0] <= now_ns:
            _, side, content = self._held.popleft()
            side.held -= 1
            self._pass_on(side, content)
        due_ns = self._held[0][0] if self._held else 0
        if due_ns != self._set_ns:
            self._timer.set(due_ns)
            self._set_ns = due_ns

    def _pass_on(self, side: Side, content: bytes) -> None:
        side.is_ending = side.is_ending or not content
        was_empty = not side.unsent
        side.unsent += content
        if was_empty:
            self._flush(side)

    def _flush(self, side: Side) -> None:
        try:
            while side.unsent:
                del side.unsent[: side.socket.send(side.unsent)]
        except BlockingIOError:
            pass
        except OSError:
            side.unsent.clear()
            side.is_ending = True
        if side.is_ending and not side.unsent:
            self._close(side)
        else:
            self._watch(side)
            self._watch(side.other)

    def _watch(self, side: Side) -> None:
        """Read from a side as long as the other one takes it, and write to it when it has room again."""
        events = select.EPOLLIN if len(side.other.unsent) < FULL else 0
        events |= select.EPOLLOUT if side.unsent else 0
        if events != side.watched and side.socket.fileno() in self._sides:
            self._epoll.modify(side.socket, events)
            side.watched = events

    def _unregister(self, side: Side) -> None:
        if self._sides.pop(side.socket.fileno(), None) is not None:
            self._epoll.unregister(side.socket)

    def _close(self, side: Side) -> None:
        for one in (side, side.other):
            self._unregister(one)
            one.socket.close()


def connected(server: Address) -> socket.socket:
    """Return a connection to a server."""
    if isinstance(server, str):
        found = socket.socket(socket.AF_UNIX)
        found.connect(server)
        return found
    return socket.create_connection(server, CONNECT_LIMIT_S)


def answer(line: dict[str, object]) -> None:
    """Tell whoever started the relay."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read `{"server": …, "listen": …}` from standard input, answer `{"port": …}`, and relay.

    Each further line has a new `hold_ns`, and is answered by itself; the end of the input ends the relay.
    """
    order = json.loads(sys.stdin.buffer.readline())
    server: Address = order["server"] if isinstance(order["server"], str) else tuple(order["server"])
    with socket.create_server((order["listen"], 0), backlog=4096) as listener:
        links = Links(listener, server)
        answer({"port": listener.getsockname()[1]})
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                links.run(sys.stdin.fileno())
                line = sys.stdin.buffer.readline()
                if not line:
                    return
                order = json.loads(line)
                links.hold_ns = order["hold_ns"]
                answer(order)


if __name__ == "__main__":
    main()
