"""Scripted faults: which reply is tampered with, and how."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from respmark.wire.replies import END_OF_LINE, Piece, Reply, ReplySplitter

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
    after: int = 0
    """Matching replies that pass unharmed first, counted from `since`, over all connections or on `connection`."""
    names: frozenset[str] = frozenset()
    """Commands whose replies count; empty: all."""
    connection: int | None = None
    """Only this connection, by its number."""
    since: str | None = "go"
    """Count from this mark on; None: from the first reply."""
    times: int = 1
    """How many replies it affects."""
    seconds: float = 0.05


@dataclass(frozen=True)
class Send:
    """Bytes for the client, in a separate write."""

    data: bytes
    delivers: bool = True
    """With these bytes, the client can know the whole reply."""


@dataclass(frozen=True)
class Wait:
    """A pause."""

    seconds: float


@dataclass(frozen=True)
class Close:
    """The end of the connection."""

    reset: bool


Action = Send | Wait | Close
PAUSE: Final = Wait(0.001)
"""Between two writes, so that they are not read as one."""


def actions_of(fault: Fault, data: bytes) -> list[Action] | None:
    """Return what to do instead of sending the reply `data`; None: the fault cannot affect this reply."""
    match fault.kind:
        case FaultKind.DELAY:
            return [Wait(fault.seconds), Send(data)]
        case FaultKind.SPLIT:
            return _split(data)
        case FaultKind.ERROR:
            return [Send(INJECTED)]
        case FaultKind.WRONG_VALUE:
            wrong = corrupt(data)
            return None if wrong is None else [Send(wrong)]
        case FaultKind.CUT:
            return [Send(data[: len(data) // 2], delivers=False), PAUSE, Close(reset=False)]
        case FaultKind.RESET:
            return [Close(reset=True)]


def corrupt(data: bytes) -> bytes | None:
    """Return the reply with the last byte of its first value changed; None if it has no value."""
    found = BULK.search(data)
    if found is None:
        return None
    last = found.end() + int(found[1]) - 1
    return data[:last] + FOREIGN + data[last + 1 :]


def reply_in(actions: list[Action]) -> Reply | None:
    """Return the whole reply that the client gets from the actions, if it gets one."""
    splitter = ReplySplitter()
    pieces: list[Piece] = []
    for action in actions:
        if isinstance(action, Send):
            pieces += splitter.feed(action.data)
    return next((piece.reply for piece in pieces if piece.reply is not None), None)


def _split(data: bytes) -> list[Action]:
    # Clients know a value by its length and need not wait for the end of line after it.
    known = len(data) - END_OF_LINE
    cuts = sorted({1, 3, len(data) // 2, known, len(data) - 1} & set(range(1, len(data))))
    actions: list[Action] = []
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        actions += [Send(data[begin:end], delivers=begin < known <= end), PAUSE]
    return actions[:-1]


class FaultScript:
    """The faults of one trial, and how many replies each has met and affected so far."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self._faults = faults
        self._seen = [0] * len(faults)
        self._done = [0] * len(faults)
        self._marks: set[str] = set()

    def mark(self, name: str) -> None:
        """Let the faults that wait for this mark begin to count."""
        self._marks.add(name)

    def concerns(self, connection: int, command: str) -> bool:
        """Return whether a fault may affect the reply, so that the proxy needs the whole reply first."""
        return any(self._open(number, connection, command) for number in range(len(self._faults)))

    def next_for(self, connection: int, command: str, data: bytes) -> tuple[Fault, list[Action]] | None:
        """Count a reply; return the fault that affects it, if any, and what to do."""
        for number, fault in enumerate(self._faults):
            if not self._open(number, connection, command):
                continue
            self._seen[number] += 1
            if self._seen[number] <= fault.after:
                continue
            actions = actions_of(fault, data)
            if actions is not None:
                self._done[number] += 1
                return fault, actions
        return None

    def _open(self, number: int, connection: int, command: str) -> bool:
        fault = self._faults[number]
        return (
            self._done[number] < fault.times
            and (fault.since is None or fault.since in self._marks)
            and fault.connection in {None, connection}
            and (not fault.names or command in fault.names)
        )
