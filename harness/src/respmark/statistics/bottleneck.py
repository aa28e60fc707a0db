"""What limits the throughput of a cell, if the figures show it."""

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
    """The CPU that one side uses, in percent of one processor."""

    all_percent: float
    """All threads of a process together."""
    thread_percent: float | None
    """Its busiest thread; None if CPU was not counted by thread."""

    @property
    def is_saturated(self) -> bool:
        """Return whether a thread is known to have no more to give."""
        return self.thread_percent is not None and self.thread_percent >= SATURATED_PERCENT

    @property
    def has_room(self) -> bool:
        """Return whether all threads together, and therefore each of them, leave room on one processor."""
        return self.all_percent < SATURATED_PERCENT


def bottleneck(client: Busy, server: Busy) -> Bottleneck | None:
    """Return what limits a cell: a saturated thread, or the round trip if both sides have room; None if unknown."""
    if client.is_saturated or server.is_saturated:
        client_first = (client.thread_percent or 0) >= (server.thread_percent or 0)
        return Bottleneck.CLIENT_CPU if client_first else Bottleneck.SERVER_CPU
    return Bottleneck.ROUND_TRIP if client.has_room and server.has_room else None
