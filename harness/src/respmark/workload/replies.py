"""What the replies to a workload's commands must be, as runners pass them on: one check for every language.

A library may return the same reply as different words: `OK` as text or as true, a missing key as null or
false, a map as a map or as a list of fields and values. Bytes come as `{"bytes": base64}`, maps as
`{"map": [[field, value], …]}`.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from respmark.workload.file import Workload
from respmark.workload.spec import Argument, KeyArgument, LiteralArgument

Json = Any
"""A reply as JSON has it."""
SHOWN: Final = 80
"""Characters of a reply that a message shows."""


class Replies:
    """Checks the replies to one workload's commands."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload

    @property
    def commands(self) -> int:
        """Return how many commands the workload has."""
        return len(self._workload.kinds)

    def wrong(self, first: int, replies: Iterable[Json]) -> str | None:
        """Return what is wrong with the replies to the commands from number `first` on; None if nothing is."""
        found = (self._wrong_one((first + place) % len(self._workload.kinds), one) for place, one in enumerate(replies))
        return next(filter(None, found), None)

    def decoded_to(self, replies: Iterable[Json]) -> Literal["bytes", "text"] | None:
        """Return what values are decoded to, `bytes` or `text`; None if no reply has any."""
        return next((_type(value) for reply in replies for value in _values(reply)), None)

    def _wrong_one(self, index: int, reply: Json) -> str | None:
        kind = self._workload.header.mix[self._workload.kinds[index]]
        check = CHECKS.get(kind.name)
        if check is None or (problem := check(self, index, kind.arguments, reply)) is None:
            return None
        key = f" {self._key(index)}" if any(isinstance(one, KeyArgument) for one in kind.arguments) else ""
        return f"the reply to command {index} of the workload, {kind.name}{key}, must be {problem}, not {_shown(reply)}"

    def _key(self, index: int) -> str:
        return self._workload.key(int(self._workload.keys[index])).decode()

    def value(self, index: int, _arguments: tuple[Argument, ...], reply: Json) -> str | None:
        """Check the reply to GET."""
        return self._wrong_value(int(self._workload.keys[index]), reply)

    def values(self, index: int, arguments: tuple[Argument, ...], reply: Json) -> str | None:
        """Check the reply to MGET."""
        first = int(self._workload.keys[index])
        return self._several([first + one.offset for one in arguments if isinstance(one, KeyArgument)], reply)

    def elements(self, index: int, arguments: tuple[Argument, ...], reply: Json) -> str | None:
        """Check the reply to LRANGE: every list has all the elements that the indexes select."""
        first, last = (int(one.text) for one in arguments if isinstance(one, LiteralArgument))
        return self._several([int(self._workload.keys[index])] * (last - first + 1), reply)

    def fields(self, index: int, _arguments: tuple[Argument, ...], reply: Json) -> str | None:
        """Check the reply to HGETALL; RESP2 has no maps, and not every library makes one."""
        if isinstance(reply, dict) and "map" in reply:
            values = [value for _, value in reply["map"]]
        else:
            values = reply[1::2] if isinstance(reply, list) else reply
        return self._several([int(self._workload.keys[index])] * self._workload.header.hash_fields, values)

    def _several(self, keys: list[int], reply: Json) -> str | None:
        if not isinstance(reply, list) or len(reply) != len(keys):
            return f"{len(keys)} values"
        return next(filter(None, map(self._wrong_value, keys, reply)), None)

    def _wrong_value(self, key: int, reply: Json) -> str | None:
        header = self._workload.header
        if key >= header.preload_keys:
            return None if reply is None or reply is False else "null, because the key does not exist"
        value = as_bytes(reply)
        if value is None:
            return "a value"
        if not header.value_size_min <= len(value) <= header.value_size_max:
            return f"a value of {header.value_size_min} to {header.value_size_max} bytes"
        return None if value == self._workload.value(key, len(value)) else "the value of its key"


def as_bytes(reply: Json) -> bytes | None:
    """Return the bytes of a reply that is bytes or text; None for any other."""
    if isinstance(reply, str):
        return reply.encode()
    if not isinstance(reply, dict) or not isinstance(text := reply.get("bytes"), str):
        return None
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _values(reply: Json) -> Iterable[Json]:
    if isinstance(reply, dict) and "map" in reply:
        return (part for pair in reply["map"] for part in pair)
    return reply if isinstance(reply, list) else [] if as_bytes(reply) in {None, b"OK", b"PONG"} else [reply]


def _type(value: Json) -> Literal["bytes", "text"] | None:
    return "text" if isinstance(value, str) else "bytes" if isinstance(value, dict) else None


def _shown(reply: Json) -> str:
    value = as_bytes(reply)
    text = json.dumps(reply) if value is None else repr(value.decode(errors="replace"))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _word(word: bytes, *others: object) -> Callable[..., str | None]:
    def check(_self: Replies, _index: int, _arguments: tuple[Argument, ...], reply: Json) -> str | None:
        is_right = reply is True or as_bytes(reply) == word or reply in others
        return None if is_right else word.decode()

    return check


def _number(at_least: int, at_most: int | None, means: str) -> Callable[..., str | None]:
    def check(_self: Replies, _index: int, _arguments: tuple[Argument, ...], reply: Json) -> str | None:
        # A library may say false for 0 and true for 1.
        is_right = isinstance(reply, int) and at_least <= reply and (at_most is None or reply <= at_most)
        return None if is_right else means

    return check


CHECKS: Final[Mapping[str, Callable[[Replies, int, tuple[Argument, ...], Json], str | None]]] = {
    "GET": Replies.value,
    "MGET": Replies.values,
    "LRANGE": Replies.elements,
    "HGETALL": Replies.fields,
    **dict.fromkeys(("SET", "MSET"), _word(b"OK")),
    # A method may return nothing where the reply is always the same.
    "LTRIM": _word(b"OK", None),
    "PING": _word(b"PONG"),
    **dict.fromkeys(("INCRBY", "LPUSH"), _number(1, None, "a whole number above 0")),
    **dict.fromkeys(("SADD", "ZADD"), _number(0, 0, "0, because the member exists")),
    "EXPIRE": _number(1, 1, "1, because the key exists"),
}
"""How the reply to each command is checked; replies to others need only not be errors."""
