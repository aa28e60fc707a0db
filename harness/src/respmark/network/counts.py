"""What went through a relay: counted as it happens, in little room however many connections there are.

Standard library alone, as the relay's program starts with it.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

BUSIEST_NS: Final = 100_000_000
"""Within how long connections are counted that are opened at once."""


@dataclass(frozen=True)
class Counts:
    """What went through a relay since it was asked before, or since its start."""

    opened: int
    """Connections that were accepted."""
    busiest: int
    """The most of them within 100 ms."""
    still_open: int
    """Connections that no client has closed, as far as the relay could see, by now."""
    forwarded_bytes: int
    """From clients to the server."""
    swallowed_bytes: int
    """From clients, which the server never got."""
    refused: int
    """Commands."""
    late_ns: int
    """By how much a timer of the relay was late at most; 0 before it was asked for the first time."""


@dataclass
class Tally:
    """What has happened since somebody asked."""

    opened: int = 0
    busiest: int = 0
    forwarded_bytes: int = 0
    swallowed_bytes: int = 0
    refused: int = 0
    late_ns: int = 0
    _lately_ns: deque[int] = field(default_factory=deque)
    """When the connections of the last BUSIEST_NS were opened."""

    def open(self, at_ns: int) -> None:
        """Count a connection that is opened at this moment."""
        self.opened += 1
        self._lately_ns.append(at_ns)
        while at_ns - self._lately_ns[0] >= BUSIEST_NS:
            self._lately_ns.popleft()
        self.busiest = max(self.busiest, len(self._lately_ns))

    def counts(self, still_open: int) -> Counts:
        """Return it, with how many connections are open now."""
        return Counts(
            opened=self.opened,
            busiest=self.busiest,
            still_open=still_open,
            forwarded_bytes=self.forwarded_bytes,
            swallowed_bytes=self.swallowed_bytes,
            refused=self.refused,
            late_ns=self.late_ns,
        )
