"""A relay between clients and a server that holds bytes back, so that clients see a round trip of so long.

Requests pass at once and replies are held: a client that waits for a reply cannot tell on which way it was late. The
first request of a connection is held as well, for the round trip of its TCP handshake, which the kernel answers itself.
Bytes are passed on as they come, TLS included, and one server connection stands for each client connection.

Connections can also be treated in other ways (`treatments.py`), for what clients do when a server or its network fails.

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
from typing import TYPE_CHECKING, Any, Final

from respmark.network.counts import Counts, Tally
from respmark.network.treatments import (
    Refusal,
    Treatment,
    drop,
    drop_no_more,
    reset_when_closed,
    vanish_when_closed,
)

if TYPE_CHECKING:
    from respmark.network.framing import Framing

CHUNK: Final = 1 << 18
"""Bytes read at a time."""
FULL: Final = 1 << 20
"""A side that has not taken so many bytes yet gets no more: what sends to it is not read meanwhile."""
CONNECT_LIMIT_S: Final = 5.0
BACKLOG: Final = 4096
TICK_NS: Final = 20_000_000
"""How often it looks whether it is late, when somebody wants to know."""
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
    link: "Link" = field(init=False)
    unsent: bytearray = field(default_factory=bytearray)
    """What the socket had no room for."""
    is_new: bool = True
    """Whether nothing has been sent to it, and the first bytes are to be held."""
    held: int = 0
    """How much of `_held` is for it."""
    is_ending: bool = False
    """Whether it is closed when `unsent` is empty."""
    is_cut: bool = False
    """Whether nothing is passed on to it now."""
    framing: "Framing | None" = None
    """Follows commands and replies, where somebody may want to refuse some."""
    watched: int = select.EPOLLIN
    """What the epoll watches it for."""


@dataclass(eq=False)
class Link:
    """A connection of a client, and the one to the server that stands for it."""

    client: Side
    server: Side
    treatment: Treatment = Treatment.PASS
    kept: list[tuple[Side, bytes]] = field(default_factory=list)
    """What is for which side when it may be passed on again; no bytes: the end."""

    def __post_init__(self) -> None:
        self.client.other, self.server.other = self.server, self.client
        self.client.link = self.server.link = self


class Links:
    """Every connection to `listener`, relayed to `server`; `frames`: commands may be refused."""

    def __init__(self, listener: socket.socket, server: Address, *, frames: bool = False) -> None:
        self._hold_ns = 0
        """How long a reply is held."""
        self._is_held_first = True
        """Whether the first request of a connection is held as long."""
        self._listener, self._server, self._frames = listener, server, frames
        self._sides: dict[int, Side] = {}
        """Those that may still say something, by descriptor."""
        self._links: dict[Link, None] = {}
        self._new, self._refusal = Treatment.PASS, Refusal("")
        self._held: deque[tuple[int, Side, bytes]] = deque()
        """What is due when, in this order as everything is held equally long; no bytes: the end."""
        self._timer, self._set_ns = Timer(), 0
        self._ticker, self._tick_ns = Timer(), 0
        self._tally = Tally()
        self._epoll = select.epoll()
        listener.settimeout(0)
        for one in (listener.fileno(), self._timer.fd, self._ticker.fd):
            self._epoll.register(one, select.EPOLLIN)

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

    def obey(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do what a line says; return the answer."""
        if "hold_ns" in order:
            self._delay(order["hold_ns"], is_held_first=order["handshakes"])
        elif "existing" in order:
            self._treat(Treatment(order["existing"]), Treatment(order["new"]), order["refusal"])
        else:
            return vars(self._counts())
        return order

    def _delay(self, ns: int, *, is_held_first: bool) -> None:
        """Hold what comes for so long; what is held is not held for longer than that from now on."""
        self._hold_ns, self._is_held_first = ns, is_held_first
        latest_ns = time.monotonic_ns() + ns
        self._held = deque((min(due_ns, latest_ns), side, content) for due_ns, side, content in self._held)
        self._pass_on_due()

    def _treat(self, existing: Treatment, new: Treatment, refusal: dict[str, Any] | None) -> None:
        if self._new is not Treatment.CLOSED:
            with contextlib.suppress(BlockingIOError):
                while True:
                    self._accept()  # what the kernel has accepted exists
        self._refusal = Refusal(**refusal) if refusal else Refusal("")
        for link in list(self._links):
            self._apply(link, existing)
        self._listen(new)

    def _listen(self, new: Treatment) -> None:
        before, self._new = self._new, new
        if new is before:
            return
        if before is Treatment.DROP:
            drop_no_more(self._listener)
        elif before is Treatment.CLOSED:
            self._listener.listen(BACKLOG)
            self._epoll.register(self._listener, select.EPOLLIN)
        if new is Treatment.DROP:
            drop(self._listener)
        elif new is Treatment.CLOSED:
            self._epoll.unregister(self._listener)
            self._listener.shutdown(socket.SHUT_RDWR)  # ends listening; the port stays ours

    def _apply(self, link: Link, treatment: Treatment) -> None:
        if treatment is Treatment.RESET:
            reset_when_closed(link.client.socket)
        elif treatment is Treatment.VANISH:
            vanish_when_closed(link.client.socket)
        if treatment in {Treatment.RESET, Treatment.VANISH}:
            self._close(link.client)
            return
        if link.treatment is Treatment.DISCARD:
            return  # without what it has lost, the rest makes no sense
        if Treatment.DROP in {link.treatment, treatment} and link.treatment is not treatment:
            (drop if treatment is Treatment.DROP else drop_no_more)(link.client.socket)
        link.treatment = treatment
        link.server.is_cut = treatment in {Treatment.HOLD, Treatment.DISCARD}
        link.client.is_cut = link.server.is_cut or treatment is Treatment.DROP
        if link.client.framing is not None:
            link.client.framing.refusal = self._refusal if treatment is Treatment.REFUSE else None
        kept, link.kept = link.kept, []
        for side, content in kept:
            self._pass_on(side, content)

    def _counts(self) -> Counts:
        tally, self._tally = self._tally, Tally()
        if not self._tick_ns:
            self._tick()
        return tally.counts(still_open=sum(side.is_client for side in self._sides.values()))

    def _handle(self, fd: int, events: int) -> None:
        if (side := self._sides.get(fd)) is not None:
            if events & select.EPOLLOUT:
                self._flush(side)
            if events & ~select.EPOLLOUT and fd in self._sides:
                self._read(side)
        elif fd == self._listener.fileno():
            self._accept()
        elif fd == self._ticker.fd:
            self._tick()

    def _tick(self) -> None:
        now_ns = time.monotonic_ns()
        if self._tick_ns:
            self._tally.late_ns = max(self._tally.late_ns, now_ns - self._tick_ns)
        self._tick_ns = now_ns + TICK_NS
        self._ticker.set(self._tick_ns)

    def _accept(self) -> None:
        accepted, _ = self._listener.accept()
        self._tally.open(time.monotonic_ns())
        if self._new is Treatment.REFUSE and self._refusal.closes:
            accepted.sendall(self._refusal.reply)
            accepted.close()
            return
        try:
            server = connected(self._server)
        except OSError:
            accepted.close()  # as a server does that refuses a connection
            return
        link = Link(Side(accepted, is_client=True), Side(server, is_client=False, is_new=self._is_held_first))
        self._links[link] = None
        framing = self._new_framing()
        for side in (link.client, link.server):
            side.framing = framing
            side.socket.settimeout(0)
            if side.socket.family != socket.AF_UNIX:
                side.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sides[side.socket.fileno()] = side
            self._epoll.register(side.socket, select.EPOLLIN)
        self._apply(link, self._new)

    def _new_framing(self) -> "Framing | None":
        if not self._frames:
            return None
        from respmark.network.framing import Framing  # noqa: PLC0415 - few relays need it

        return Framing()

    def _read(self, side: Side) -> None:
        try:
            content = side.socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self._unregister(side)
        elif side.framing is not None:
            content = self._framed(side, side.framing, content)
            if not content:
                return
        to = side.other
        if side.is_client and not to.is_new and not to.held:
            self._pass_on(to, content)
        else:
            to.is_new = False
            self._hold(to, content)

    def _framed(self, side: Side, framing: "Framing", content: bytes) -> bytes:
        """Return what is passed on of it: whole commands that are not refused, whole replies with errors in between."""
        if not side.is_client:
            return framing.replies(content)
        passed, errors, refused = framing.requests(content)
        self._tally.refused += refused
        if errors:
            self._hold(side, errors)
        return passed

    def _hold(self, to: Side, content: bytes) -> None:
        to.held += 1
        self._held.append((time.monotonic_ns() + self._hold_ns, to, content))

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
        if side.is_cut:
            self._keep(side, content)
            return
        if not side.is_client:
            self._tally.forwarded_bytes += len(content)
        side.is_ending = side.is_ending or not content
        was_empty = not side.unsent
        side.unsent += content
        if was_empty:
            self._flush(side)

    def _keep(self, side: Side, content: bytes) -> None:
        if side.link.treatment is not Treatment.DISCARD:
            side.link.kept.append((side, content))
        elif not side.is_client:
            self._tally.swallowed_bytes += len(content)

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
        link = side.link
        self._links.pop(link, None)
        for one in (link.client, link.server):
            self._unregister(one)
            one.socket.close()
        self._tally.swallowed_bytes += sum(len(content) for to, content in link.kept if to is link.server)
        link.kept = []


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


def listening(host: str, ports: list[int]) -> socket.socket:
    """Listen on the first of these ports that is free."""
    for port in ports[:-1]:
        with contextlib.suppress(OSError):
            return socket.create_server((host, port), backlog=BACKLOG)
    return socket.create_server((host, ports[-1]), backlog=BACKLOG)


def main() -> None:
    """Read `{"server": …, "listen": …, "ports": …, "frames": …}` from standard input, answer `{"port": …}`, and relay.

    Each further line is obeyed, and answered; the end of the input ends the relay.
    """
    if not (first := sys.stdin.buffer.readline()):
        return  # whoever started it was interrupted
    order = json.loads(first)
    server: Address = order["server"] if isinstance(order["server"], str) else tuple(order["server"])
    with listening(order["listen"], order["ports"]) as listener:
        links = Links(listener, server, frames=order["frames"])
        answer({"port": listener.getsockname()[1]})
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                links.run(sys.stdin.fileno())
                line = sys.stdin.buffer.readline()
                if not line:
                    return
                answer(links.obey(json.loads(line)))


if __name__ == "__main__":
    main()
