"""What the harness knows about the commands for which every runner has a typed method."""

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["counter", "list", "hash", "set", "sorted-set"]


@dataclass(frozen=True)
class Command:
    """One command."""

    holds: Kind | None = None
    """What its keys hold; None: plain strings."""
    counted: bool = False
    """The server counts a hit or a miss for each key."""
    changes: bool = False


KNOWN: Final = {
    "PING": Command(),
    "GET": Command(counted=True),
    "GETRANGE": Command(counted=True),
    "MGET": Command(counted=True),
    "SET": Command(changes=True),
    "MSET": Command(changes=True),
    "EXPIRE": Command(changes=True),
    "INCRBY": Command("counter", changes=True),
    "LPUSH": Command("list", changes=True),
    "LTRIM": Command("list", changes=True),
    "LRANGE": Command("list", counted=True),
    "HGETALL": Command("hash", counted=True),
    "SADD": Command("set", changes=True),
    "ZADD": Command("sorted-set", changes=True),
}
CACHED: Final = "GET"
"""The command that `caching` is about."""


def may_be_cached(name: str) -> bool:
    """Return whether a client's own cache may answer the command, as far as is known."""
    return name not in KNOWN or KNOWN[name].counted
