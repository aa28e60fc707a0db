"""A fault of a group of servers: a primary fails, or is told to step back, and a replica takes its place."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from respmark.kinds.faults.writes import Replaced
from respmark.network.counts import Counts
from respmark.servers.failover import Failover, How

COPIED_NS: Final = 100_000_000
"""How long after the end of a primary its replicas are read: what it had sent has come to them by then."""


class Replacing:
    """Has a replica take a primary's place, see `Breaking`."""

    look_ns: Final[int] = 100_000_000
    """So that the busiest 100 ms are found."""

    def __init__(
        self,
        how: How,
        failover: Failover,
        counters: Mapping[int, tuple[bytes, int]],
        cut_off: Callable[[], None] = lambda: None,
    ) -> None:
        """`counters` are those of the primary's callers: each one's key, and where it begins.

        `cut_off` makes packets between clients and the primary get lost, where that is asked for.
        """
        self._how, self._failover, self._counters, self._cut_off = how, failover, counters, cut_off
        self._begun_ns = 0
        self._copies: list[list[int]] = []
        self._copied_ns = 0
        self._is_away = False
        """Whether it is not known who has the primary's keys."""
        self._before = failover.connections()
        self._opened = self._busiest = 0

    def begin(self) -> None:
        """Cut the primary off, kill it, stop it, or tell a replica to take its place."""
        self._begun_ns, self._is_away = time.monotonic_ns(), True
        self._cut_off()
        self._failover.begin(self._how)

    def is_over(self) -> bool:
        """Return whether a replica has taken the primary's place, and clients are told so by all whom they may ask."""
        if is_over := self._failover.is_over():
            self._is_away = False
        now_ns = time.monotonic_ns()
        # One that hands over takes writes until it has.
        is_read_before = self._how != "replaced" and now_ns >= self._begun_ns + COPIED_NS
        if not self._copies and (is_read_before or is_over):
            self._copied_ns = now_ns
            self._copies = self._failover.copies([key for key, _ in self._counters.values()])
        return is_over

    def end(self) -> None:
        """Do nothing: it has ended by itself."""

    def release(self) -> None:
        """Let the primary go on, if it stands still."""
        if self._how == "paused":
            self._failover.resume()

    def values(self, keys: Sequence[bytes]) -> list[int] | None:
        """Return the counters, as the primaries say that hold them by now."""
        return None if self._is_away else self._failover.values(keys)

    def counts(self) -> Counts:
        """Return the connections since this was asked before, as the nodes counted them that answer."""
        self.look()
        counts = Counts(
            opened=self._opened,
            busiest=self._busiest,
            still_open=sum(one.still_open for one in self._before.values()),
            forwarded_bytes=0,
            swallowed_bytes=0,
            refused=0,
            late_ns=0,
        )
        self._opened = self._busiest = 0
        return counts

    def look(self) -> None:
        """Count the connections that were opened since the last look."""
        now = self._failover.connections()
        opened = sum(count.opened_since(self._before[node]) for node, count in now.items())
        self._before = now
        self._opened, self._busiest = self._opened + opened, max(self._busiest, opened)

    @property
    def replaced(self) -> Replaced:
        """Return what became of whom."""
        place = None if self._failover.successor is None else self._failover.replicas.index(self._failover.successor)
        found = [] if place is None else self._copies[place]
        counts = {
            caller: count - begin
            for (caller, (_, begin)), count in zip(self._counters.items(), found, strict=bool(found))
        }
        return Replaced(frozenset(self._counters), counts, self._copied_ns)
