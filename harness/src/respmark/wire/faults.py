"""Scripted faults: which reply is tampered with, and how."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

INJECTED: Final = b"-ERR respmark put an error in place of this reply\r\n"
BULK: Final = re.compile(rb"\$([1-9][0-9]*)\r\n")
FOREIGN: Final = b"!"
"""A character that no value of a workload contains."""


class FaultKind(StrEnum):
    """What happens to the reply."""

    DELAY = "delay"
    """It comes `seconds` late."""
    SPLIT = "split"
    """It comes in several writes, cut inside its header, its value and its end."""
    ERROR = "error"
    """An error reply comes in its place."""
    WRONG_VALUE = "wrong value"
    """One byte of its value is changed."""
    CUT = "cut"
    """Its first half comes, then the connection is closed."""
    RESET = "reset"
    """The connection is reset before it comes."""


@dataclass(frozen=True)
class Fault:
    """One scripted fault."""

    kind: FaultKind
    name: str
    """The command whose replies count."""
    after: int = 0
    """Replies that pass unharmed first, counted from `since`, over all connections."""
    since: str | None = "go"
    """Count from this mark on; None: from the first reply."""
    times: int = 1
    """How many replies it affects."""
    seconds: float = 0.05


def corrupt(data: bytes) -> bytes | None:
    """Return the reply with the last byte of its first value changed; None if it has no value."""
    found = BULK.search(data)
    if found is None:
        return None
    last = found.end() + int(found[1]) - 1
    return data[:last] + FOREIGN + data[last + 1 :]


def split(data: bytes) -> list[bytes]:
    """Cut a reply inside its header, its value and its end."""
    cuts = sorted({1, 3, len(data) // 2, len(data) - 2, len(data) - 1} & set(range(1, len(data))))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


class FaultScript:
    """The fault of one trial, and how many replies it has met and affected so far."""

    def __init__(self, fault: Fault | None) -> None:
        self._fault = fault
        self._begun = fault is not None and fault.since is None
        self._seen = self._done = 0

    def mark(self, name: str) -> None:
        """Let a fault that waits for this mark begin to count."""
        self._begun = self._begun or (self._fault is not None and name == self._fault.since)

    def next_for(self, command: str, reply: bytes) -> Fault | None:
        """Count a command's reply; return the fault that affects it, if any."""
        fault = self._fault
        if fault is None or not self._begun or self._done == fault.times or command != fault.name:
            return None
        self._seen += 1
        if self._seen <= fault.after or (fault.kind is FaultKind.WRONG_VALUE and corrupt(reply) is None):
            return None
        self._done += 1
        return fault
