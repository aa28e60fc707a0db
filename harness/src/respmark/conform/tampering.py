"""What the proxy does to a reply: which one it tampers with, and how."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

INJECTED: Final = b"-ERR respmark put an error in place of this reply\r\n"
BULK: Final = re.compile(rb"\$([1-9][0-9]*)\r\n")
FOREIGN: Final = b"!"
"""A character that no value of a workload contains."""
DELAY_S: Final = 0.15
SPLIT_TIMES: Final = 20


class TamperingKind(StrEnum):
    """What happens to the reply."""

    DELAY = "delay"
    """It comes `DELAY_S` late."""
    SPLIT = "split"
    """It and those after it come in several writes, cut inside header, value and end: `SPLIT_TIMES` replies."""
    ERROR = "error"
    """An error reply comes in its place."""
    WRONG_VALUE = "wrong value"
    """One byte of its value is changed; in the verification, before the first slice."""
    CUT = "cut"
    """Its first half comes, then the connection is closed."""
    RESET = "reset"
    """The connection is reset before it comes."""


LOSSES: Final = frozenset({TamperingKind.CUT, TamperingKind.RESET})
"""Those that end a connection."""


@dataclass(frozen=True)
class Tampering:
    """What is done to one reply; a first one passes unharmed, so that it meets a client at work."""

    kind: TamperingKind
    name: str
    """The command whose replies count, over all connections."""

    @property
    def names(self) -> frozenset[str]:
        """Return the commands whose replies may bring it: rueidis fetches what it caches in transactions."""
        return frozenset({self.name, "EXEC"} if self.kind is TamperingKind.WRONG_VALUE else {self.name})


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


class TamperingScript:
    """The tampering of one trial: how many replies it has met, and how many it is still to affect."""

    def __init__(self, tampering: Tampering | None) -> None:
        self._tampering = tampering
        self._begun = tampering is not None and tampering.kind is TamperingKind.WRONG_VALUE
        self._left = SPLIT_TIMES if tampering is not None and tampering.kind is TamperingKind.SPLIT else 1
        self._met = 0

    def begin(self) -> None:
        """Count from now on, as the first slice begins."""
        self._begun = True

    def next_for(self, command: str, reply: bytes) -> TamperingKind | None:
        """Count a command's reply; return what happens to it, if anything."""
        tampering = self._tampering
        if tampering is None or not self._begun or not self._left or command not in tampering.names:
            return None
        self._met += 1
        if self._met == 1 or (tampering.kind is TamperingKind.WRONG_VALUE and corrupt(reply) is None):
            return None
        self._left -= 1
        return tampering.kind
