"""Keeps a server busy while a client works, as another client's job would: with one command, or with a SCAN."""

from dataclasses import replace
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.servers.companion import Beside, Companion
from respmark.workload.workload import Words

FIRST: Final = 0.1
"""When the first command is due, as a share of the time between two: it ends in the slice, and so do those whom it kept
waiting."""


class Neighbour(Companion):
    """Sends a command, or begins a SCAN, so many times a second; to take little CPU, it parses no reply but SCAN's."""

    def __init__(self, endpoint: Endpoint, words: Words, keys: int, per_second: float) -> None:
        """Connect; raises TargetError if the server refuses it. `keys` is how many keys the command reads."""
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

    def _done(self) -> Beside:
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
