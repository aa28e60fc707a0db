"""A producer of the run's own: it pushes elements to a list, which a client takes from it."""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.servers.control import Control

ELEMENT: Final = b"an element"
SPREAD: Final = 0.5
"""Elements come earlier or later by up to half of this share of the time between two of them: a client that polls as
often, or a multiple of it, would else be met at the same moment each time."""
GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are."""


@dataclass(frozen=True)
class Pushed:
    """What the producer did in a slice."""

    sent_ns: tuple[int, ...]
    """When each element was sent, ascending; CLOCK_MONOTONIC."""
    calls: Mapping[str, int]
    """What it sent, by command, in lower case as the server counts it."""
    input_bytes: int


class Producer:
    """Pushes elements to a list, on a connection and in a thread of its own."""

    def __init__(self, endpoint: Endpoint, key: bytes, per_second: float) -> None:
        """Connect; raises TargetError if the server refuses it."""
        self._control = Control(endpoint).open()
        self._key, self._between_ns = key, 1e9 / per_second
        self._number = 0
        """Of the next element, over all slices."""
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._sent_ns: list[int] = []
        self._failure: TargetError | None = None

    def begin(self, at_ns: int) -> None:
        """Push elements from this moment on, the first of them about half the time between two later."""
        self._sent_ns = []
        self._is_over.clear()
        self._thread = threading.Thread(target=self._push, args=(at_ns,), daemon=True)
        self._thread.start()

    def end(self) -> Pushed:
        """Stop, and empty the list; raises TargetError if the server refused an element, or was lost."""
        self._stop()
        if self._failure is not None:
            raise self._failure
        self._control.command("DEL", self._key)
        pushes, emptied = len(self._sent_ns), _resp_bytes(b"DEL", self._key)
        size = pushes * _resp_bytes(b"RPUSH", self._key, ELEMENT) + emptied
        return Pushed(tuple(self._sent_ns), {"rpush": pushes, "del": 1}, size)

    def close(self) -> None:
        """Stop, if it is at work, and close the connection."""
        self._stop()
        self._control.close()

    def _stop(self) -> None:
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _push(self, at_ns: int) -> None:
        try:
            for due_ns in self._due(at_ns):
                if self._is_over.wait(max(0.0, (due_ns - time.monotonic_ns()) / 1e9)):
                    return
                self._sent_ns.append(time.monotonic_ns())
                self._control.command("RPUSH", self._key, ELEMENT)
        except TargetError as error:
            self._failure = error

    def _due(self, at_ns: int) -> Iterator[float]:
        """Yield when the elements are due, for as long as they are asked for."""
        while True:
            shift = SPREAD * (self._number * GOLDEN % 1 - 0.5)
            yield at_ns + self._between_ns * (0.5 + shift)
            at_ns += round(self._between_ns)
            self._number += 1


def _resp_bytes(*words: bytes) -> int:
    """Return the size of a command as clients send it."""
    return len(b"*%d\r\n" % len(words)) + sum(len(b"$%d\r\n\r\n" % len(word)) + len(word) for word in words)
