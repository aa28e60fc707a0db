"""Background traffic: what the harness itself sends during a slice, on its own connections, and who listens to it."""

import contextlib
import selectors
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.servers.control import Control
from respmark.workload.workload import Words

FIRST: Final = 0.1
"""When the first command is due, as a share of the time between two: it ends in the slice, and so do those whom it kept
waiting."""
ELEMENT: Final = b"an element"
SPREAD: Final = 0.5
"""Elements come earlier or later by up to half of this share of the time between two of them: a client that polls as
often, or a multiple of it, would else be met at the same moment each time."""
GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are."""
READ_BYTES: Final = 1 << 16


@dataclass(frozen=True)
class Sent:
    """What the run itself sent in a slice, beside the client."""

    calls: Mapping[str, int]
    """By command, in lower case as the server counts it."""
    input_bytes: int
    reads: int
    """How often the server read from the connection."""
    hits: int = 0
    """Keys that were there."""
    moved_slots: int | None = None
    """Slots of a cluster that it moved; None: it moves none. What nodes sent each other is not in bytes and reads."""
    sent_ns: tuple[int, ...] = ()
    """When each element was sent that the client is to take, ascending; CLOCK_MONOTONIC."""


class Background(ABC):
    """Works beside a client, slice after slice."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Connect; raises ServerError if the server refuses it."""
        self._control = Control(endpoint).open()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: ServerError | None = None
        self._sent: list[tuple[bytes, ...]] = []
        """Commands in this slice; they are counted when it is over."""

    def begin(self, at_ns: int) -> None:
        """Work from this moment on."""
        self._sent = []
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run, args=(at_ns,), daemon=True)
        self._thread.start()

    def end(self) -> Sent:
        """Stop, and return what was done; raises ServerError if the server refused something, or was lost."""
        self._stop()
        if self._failure is not None:
            raise self._failure
        return self._done()

    def close(self) -> None:
        """Stop, if it is at work, and close the connection."""
        self._stop()
        self._control.close()

    @abstractmethod
    def _work(self, at_ns: int) -> None:
        """Work from this moment on, until the slice is over."""

    def _done(self) -> Sent:
        calls = Counter(words[0].decode().lower() for words in self._sent)
        return Sent(calls, sum(map(_resp_bytes, self._sent)), len(self._sent))

    def _send(self, *words: bytes) -> Any:  # noqa: ANN401 - a server's reply
        """Send a command, and return its reply."""
        self._sent.append(words)
        return self._control.command(*words)

    @property
    def _goes_on(self) -> bool:
        return not self._is_over.is_set()

    def _waits_until(self, due_ns: float) -> bool:
        """Wait until this moment; return whether the slice still goes on."""
        return not self._is_over.wait(max(0.0, (due_ns - time.monotonic_ns()) / 1e9))

    def _stop(self) -> None:
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, at_ns: int) -> None:
        try:
            self._work(at_ns)
        except ServerError as error:
            self._failure = error


def _resp_bytes(words: tuple[bytes, ...]) -> int:
    """Return the size of a command as clients send it."""
    return len(b"*%d\r\n" % len(words)) + sum(len(b"$%d\r\n\r\n" % len(word)) + len(word) for word in words)


class RepeatedCommand(Background):
    """Sends a command, or begins a SCAN, so many times a second; to take little CPU, it parses no reply but SCAN's."""

    def __init__(self, endpoint: Endpoint, words: Words, keys: int, per_second: float) -> None:
        """Connect; raises ServerError if the server refuses it. `keys` is how many keys the command reads."""
        super().__init__(endpoint)
        self._words, self._keys, self._between_ns = words, keys, 1e9 / per_second

    def _work(self, at_ns: int) -> None:
        due_ns = at_ns + FIRST * self._between_ns
        while self._waits_until(due_ns):
            if self._words[0] == b"SCAN":
                self._scan()
            else:
                self._sent += [self._words, (b"PING",)]
                self._control.discard(*self._words)
            due_ns += self._between_ns

    def _done(self) -> Sent:
        """A PING comes with a command, in one piece."""
        done = super()._done()
        pings = done.calls.get("ping", 0)
        return replace(done, reads=done.reads - pings, hits=self._keys * pings)

    def _scan(self) -> None:
        cursor = b"0"
        while self._goes_on:
            cursor, _ = self._send(b"SCAN", cursor, *self._words[1:])
            if cursor == b"0":
                return


class Producer(Background):
    """Pushes elements to a list, the first of them about half the time between two after the beginning of a slice."""

    def __init__(self, endpoint: Endpoint, key: bytes, per_second: float) -> None:
        """Connect; raises ServerError if the server refuses it."""
        super().__init__(endpoint)
        self._key, self._between_ns = key, 1e9 / per_second
        self._number = 0
        """Of the next element, over all slices."""
        self._sent_ns: list[int] = []

    def _work(self, at_ns: int) -> None:
        self._sent_ns = []
        for due_ns in self._due(at_ns):
            if not self._waits_until(due_ns):
                return
            self._sent_ns.append(time.monotonic_ns())
            self._send(b"RPUSH", self._key, ELEMENT)

    def _done(self) -> Sent:
        """Empty the list."""
        self._send(b"DEL", self._key)
        return replace(super()._done(), sent_ns=tuple(self._sent_ns))

    def _due(self, at_ns: int) -> Iterator[float]:
        """Yield when the elements are due, for as long as they are asked for."""
        while True:
            shift = SPREAD * (self._number * GOLDEN % 1 - 0.5)
            yield at_ns + self._between_ns * (0.5 + shift)
            at_ns += round(self._between_ns)
            self._number += 1


@contextlib.contextmanager
def subscribers(endpoint: Endpoint, channel: str, count: int) -> Iterator[None]:
    """Let `count` connections subscribe to a channel and read until the context ends.

    Raises ServerError if the server refuses one of them.
    """
    with contextlib.ExitStack() as held:
        listening = [held.enter_context(Control(endpoint)).subscribe(channel) for _ in range(count)]
        told, teller = socket.socketpair()
        held.enter_context(told)
        reading = threading.Thread(target=_read, args=(listening, told), daemon=True)
        reading.start()
        try:
            yield
        finally:
            teller.close()
            reading.join()


def lost_subscribers(control: Control, channel: str, count: int) -> str | None:
    """Return what is wrong if fewer than `count` connections listen to a channel; None if nothing is.

    The server says how many there are: it disconnects those that do not keep up.
    """
    _, listening = control.command("PUBSUB", "NUMSUB", channel)
    if listening >= count:
        return None
    return (
        f"the channel {channel} has lost {count - listening} of its {count} subscribers: the server disconnects those "
        "that do not keep up; raise its `client-output-buffer-limit` for pubsub, or publish less"
    )


def _read(subscribers: Sequence[socket.socket], told: socket.socket) -> None:
    """Read from all of them until the other end of `told` is closed."""
    with selectors.DefaultSelector() as waiting:
        for one in (*subscribers, told):
            waiting.register(one, selectors.EVENT_READ, one)
        while True:
            ready: list[socket.socket] = [key.data for key, _ in waiting.select()]
            if told in ready:
                return
            for one in ready:
                if not _received(one):
                    waiting.unregister(one)


def _received(subscriber: socket.socket) -> bool:
    """Return whether something came; nothing comes from a connection that is lost."""
    try:
        return bool(subscriber.recv(READ_BYTES))
    except OSError:
        return False
