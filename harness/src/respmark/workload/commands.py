"""What the harness knows about the commands for which every runner has a typed method."""

from dataclasses import dataclass
from typing import Final, Literal

from respmark.contract.base import Count, Message, PositiveCount

Kind = Literal["counter", "list", "hash", "set", "sorted-set"]


class StructureSpec(Message):
    """Consecutive keys that are preloaded as something other than a plain string."""

    kind: Kind
    """`counter`: the string 0. `list`: `list_length` values of the key. `hash`: `hash_fields` fields with values of
    the key. `set`, `sorted-set`: the key's value in every size that the workload draws."""
    first_key: Count = 0
    keys: PositiveCount

    @property
    def key_space(self) -> range:
        """Return the numbers of these keys."""
        return range(self.first_key, self.first_key + self.keys)


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


def changes(name: str) -> bool:
    """Return whether the command is known to change its keys."""
    return name in KNOWN and KNOWN[name].changes


def may_be_cached(name: str) -> bool:
    """Return whether a client's own cache may answer the command, as far as is known."""
    return name not in KNOWN or KNOWN[name].counted


def structure_mismatch(name: str, keys: range, structures: tuple[StructureSpec, ...]) -> str | None:
    """Return why the command's keys do not hold what it works on; None if they do, or if that is not known."""
    if name not in KNOWN or name == "PING":
        return None
    needed = KNOWN[name].holds
    if needed is None:
        met = next((one for one in structures if _overlap(keys, one.key_space)), None)
        return None if met is None else f"{name} works on strings, but key {met.first_key} on are of kind {met.kind}"
    if any(one.kind == needed and _within(keys, one.key_space) for one in structures):
        return None
    where = f"keys {keys.start} to {keys.stop - 1}"
    return f"{name} needs [[structures]] of kind {needed} that hold {where}"


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def _within(inner: range, outer: range) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop
