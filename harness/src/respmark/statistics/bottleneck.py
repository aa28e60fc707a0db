"""What limits the throughput of a cell, where it is shown."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SATURATED_PERCENT: Final = 90.0
"""A thread that uses this much of one processor has no more to give."""


class Bottleneck(StrEnum):
    """What limits the throughput."""

    CLIENT_CPU = "client CPU"
    SERVER_CPU = "server CPU"
    ROUND_TRIP = "round trip"


@dataclass(frozen=True)
class Busy:
    """One side's CPU, in percent of one processor."""

    all_percent: float
    """All threads of a process together."""
    thread_percent: float | None
    """Its busiest thread; None: nobody counted by thread."""

    @property
    def is_saturated(self) -> bool:
        """Tell whether a thread is shown to have no more to give."""
        return self.thread_percent is not None and self.thread_percent >= SATURATED_PERCENT

    @property
    def has_room(self) -> bool:
        """Tell whether all threads together leave room on one processor: then each of them does."""
        return self.all_percent < SATURATED_PERCENT


def bottleneck(client: Busy, server: Busy) -> Bottleneck | None:
    """Name what limits a cell where it is shown: a saturated thread, or that both sides wait for each other."""
    if client.is_saturated or server.is_saturated:
        client_first = (client.thread_percent or 0) >= (server.thread_percent or 0)
        return Bottleneck.CLIENT_CPU if client_first else Bottleneck.SERVER_CPU
    return Bottleneck.ROUND_TRIP if client.has_room and server.has_room else None
