"""What the harness knows about commands: one row each; about a command without a row, it knows nothing."""

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["counter", "list", "hash", "set", "numbers", "sorted-set"]
Keys = Literal["none", "first", "all", "pairs"]
Fixed = Literal["OK", "PONG", "0", "1", "above 0", "list", "cursor"]
OfKeys = Literal["value", "values of keys", "elements", "map", "numbers", "popped", "subscribers"]
Reply = Fixed | OfKeys


@dataclass(frozen=True)
class Command:
    """What is known about one command."""

    keys: Keys | None = None
    """Which arguments are its keys; `pairs`: every other one. None: it may touch keys, or more, that it does not name,
    so it is sent only to servers that respmark starts."""
    changes: bool = False
    """Whether it changes its keys; it changes nothing else."""
    reply: Reply | None = None
    """What its reply must be (`respmark.workload.replies`); None: anything but an error."""
    has_method: bool = False
    """Every adapter has a method for it."""
    holds: Kind | None = None
    """What its keys must hold, if it has a method; None: plain strings."""
    counted: bool = False
    """The server counts a hit or a miss for each key; known only if it has a method."""

    @property
    def only_reads(self) -> bool:
        """Return whether it is known to read its keys and to change nothing: a replica may answer it."""
        return self.keys not in {None, "none"} and not self.changes


UNKNOWN: Final = Command()


def _adapters(keys: Keys, reply: Reply | None = None, holds: Kind | None = None, *, counted: bool = False) -> Command:
    """Return a command for which every adapter has a method; the server counts hits of those that only read."""
    return Command(keys, not counted and keys != "none", reply, has_method=True, holds=holds, counted=counted)


COMMANDS: Final[dict[str, Command]] = {
    "PING": _adapters("none", "PONG"),
    "GET": _adapters("first", "value", counted=True),
    "GETRANGE": _adapters("first", counted=True),
    "MGET": _adapters("all", "values of keys", counted=True),
    "SET": _adapters("first", "OK"),
    "SETEX": _adapters("first", "OK"),
    "MSET": _adapters("pairs", "OK"),
    "EXPIRE": _adapters("first", "1"),
    "INCRBY": _adapters("first", "above 0", "counter"),
    "LPUSH": _adapters("first", "above 0", "list"),
    "LTRIM": _adapters("first", "OK", "list"),
    "LRANGE": _adapters("first", "elements", "list", counted=True),
    "HGETALL": _adapters("first", "map", "hash", counted=True),
    "SADD": _adapters("first", "0", "set"),
    "ZADD": _adapters("first", "0", "sorted-set"),
    "SMEMBERS": Command("first", reply="numbers"),
    "LPOP": Command("first", changes=True, reply="popped"),
    "BLPOP": Command(changes=True, reply="popped"),
    "EVAL": Command(reply="values of keys"),
    "EVALSHA": Command(reply="values of keys"),
    "KEYS": Command(reply="list"),
    "SORT": Command(reply="list"),
    "SCAN": Command(reply="cursor"),
    "PUBLISH": Command(reply="subscribers"),
    "SELECT": Command(reply="OK"),
    "AUTH": Command(reply="OK"),
    **dict.fromkeys(("ECHO", "TIME"), Command("none")),
    **dict.fromkeys(
        (
            *("STRLEN", "LLEN", "LINDEX", "SCARD", "SISMEMBER", "SRANDMEMBER", "HGET", "HMGET", "HLEN", "HEXISTS"),
            *("ZCARD", "ZRANGE", "ZSCORE", "ZRANK", "TYPE", "TTL", "PTTL"),
        ),
        Command("first"),
    ),
    **dict.fromkeys(
        (
            *("PSETEX", "SETNX", "SETRANGE", "GETSET", "APPEND", "INCR", "DECR", "DECRBY", "RPUSH", "RPOP", "LSET"),
            *("SREM", "SPOP", "HSET", "HMSET", "HDEL", "HINCRBY", "ZREM", "ZINCRBY", "ZPOPMIN", "ZPOPMAX"),
        ),
        Command("first", changes=True),
    ),
    **dict.fromkeys(("EXISTS", "TOUCH"), Command("all")),
    **dict.fromkeys(("DEL", "UNLINK"), Command("all", changes=True)),
    "MSETNX": Command("pairs", changes=True),
}
CACHED: Final = "GET"
"""The command that `caching` is about."""


def known(name: str) -> Command:
    """Return what is known about a command."""
    return COMMANDS.get(name, UNKNOWN)


def may_be_cached(name: str) -> bool:
    """Return whether a client's own cache may answer the command, as far as is known."""
    return known(name).counted or not known(name).has_method
