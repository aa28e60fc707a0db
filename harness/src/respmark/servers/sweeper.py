"""Looks through all keys of a server, as somebody's job does while others work: with KEYS, or with SCAN in steps."""

from typing import Final

from respmark.contract.trial import Endpoint
from respmark.servers.companion import Companion
from respmark.workload.spec import Sweep

PATTERN: Final = b"*:00000000001?"
"""Ten keys of a workload whose keys have twelve digits."""
STEP: Final = b"1000"
"""How many keys a step of SCAN looks at, about."""
FIRST: Final = 0.1
"""When the first sweep begins, as a share of the time between two: it ends in the slice, and so do those whom it kept
waiting."""


class Sweeper(Companion):
    """Looks through all keys so many times a second."""

    def __init__(self, endpoint: Endpoint, command: Sweep, per_second: float) -> None:
        """Connect; raises TargetError if the server refuses it."""
        super().__init__(endpoint)
        self._command, self._between_ns = command, 1e9 / per_second

    def _work(self, at_ns: int) -> None:
        due_ns = at_ns + FIRST * self._between_ns
        while self._waits_until(due_ns):
            self._sweep()
            due_ns += self._between_ns

    def _sweep(self) -> None:
        if self._command == "KEYS":
            self._send(b"KEYS", PATTERN)
            return
        cursor = b"0"
        while self._goes_on:
            cursor, _ = self._send(b"SCAN", cursor, b"MATCH", PATTERN, b"COUNT", STEP)
            if cursor == b"0":
                return
