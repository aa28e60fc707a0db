"""A producer of the run's own: it pushes elements to a list, which a client takes from it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.servers.companion import Beside, Companion

ELEMENT: Final = b"an element"
SPREAD: Final = 0.5
"""Elements come earlier or later by up to half of this share of the time between two of them: a client that polls as
often, or a multiple of it, would else be met at the same moment each time."""
GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are."""


class Producer(Companion):
    """Pushes elements to a list, the first of them about half the time between two after the beginning of a slice."""

    def __init__(self, endpoint: Endpoint, key: bytes, per_second: float) -> None:
        """Connect; raises TargetError if the server refuses it."""
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

    def _done(self) -> Beside:
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
