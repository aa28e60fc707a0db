"""What the replies to a workload's commands must be, as runners pass them on: one check for every language.

A library may return the same reply as different words: `OK` as text or as true, a missing key as null or
false, a map as a map or as a list of fields and values. Bytes come as `{"bytes": base64}`, maps as
`{"map": [[field, value], …]}`.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument
from respmark.workload.workload import Workload

Json = Any
"""A reply as JSON has it."""
SHOWN: Final = 80
"""Characters of a reply that a message shows."""


def wrong_reply(workload: Workload, first: int, replies: Iterable[Json]) -> str | None:
    """Return what is wrong with the replies to the commands from number `first` on; None if nothing is."""
    found = (_wrong(workload, (first + place) % len(workload.kinds), one) for place, one in enumerate(replies))
    return next(filter(None, found), None)


def decoded_to(replies: Iterable[Json]) -> Literal["bytes", "text"] | None:
    """Return what values are decoded to, `bytes` or `text`; None if no reply has any."""
    return next((_type(value) for reply in replies for value in _values(reply)), None)


def _wrong(workload: Workload, index: int, reply: Json) -> str | None:
    kind, key = workload.header.mix[workload.kinds[index]], int(workload.keys[index])
    if (problem := _problem(workload, kind, key, reply)) is None:
        return None
    has_key = any(isinstance(one, KeyArgument) for one in kind.arguments)
    what = f"{kind.name} {workload.key(key).decode()}" if has_key else kind.name
    return f"the reply to command {index} of the workload, {what}, must be {problem}, not {_shown(reply)}"


def _problem(workload: Workload, kind: CommandSpec, key: int, reply: Json) -> str | None:
    """Return what the reply must be if it is not; replies to commands without a rule need only not be errors."""
    if kind.name in FIXED:
        means, is_right = FIXED[kind.name]
        return None if is_right(reply) else means
    if kind.name in OF_KEY:
        return OF_KEY[kind.name](workload, key, reply)
    keys = _keys_of_values(workload, kind, key)
    if keys is None:
        return None
    values = _values_of_map(reply) if kind.name == "HGETALL" else reply
    if not isinstance(values, list) or len(values) != len(keys):
        return f"{len(keys)} values"
    found = (_wrong_value(workload, one, value) for one, value in zip(keys, values, strict=True))
    return next(filter(None, found), None)


def _not_empty(workload: Workload, key: int, reply: Json) -> str | None:
    """Return what a pop must return: nothing, if its list is none of the preloaded keys; else it is not known."""
    return None if key < workload.header.preload_keys or not reply else "null, because the list is empty"


def _wrong_members(workload: Workload, _key: int, reply: Json) -> str | None:
    """Return what the members of a set of numbers must be if they are not; they come in any order."""
    count = workload.header.set_members
    found = {as_bytes(one) for one in reply} if isinstance(reply, list) else set()
    return None if found == {b"%d" % number for number in range(count)} else f"the {count} members of its set"


def _wrong_subscribers(workload: Workload, _key: int, reply: Json) -> str | None:
    """Return what the number of subscribers must be if it is not; a library may have a list of it for any command."""
    count = workload.header.subscribers
    number = reply[0] if isinstance(reply, list) and len(reply) == 1 else reply
    return None if isinstance(number, int) and number == count else f"{count}, the number of subscribers"


def _keys_of_values(workload: Workload, kind: CommandSpec, key: int) -> list[int] | None:
    """Return the key of each value in the reply; None if it is not known."""
    match kind.name:
        case "MGET" | "EVAL" | "EVALSHA":  # a script returns the values of its keys
            return [key + one.offset for one in kind.arguments if isinstance(one, KeyArgument)]
        case "LRANGE":  # every list has all the elements that the indexes select
            first, last = (int(one.text) for one in kind.arguments if isinstance(one, LiteralArgument))
            return [key] * (last - first + 1)
        case "HGETALL":
            return [key] * workload.header.hash_fields
        case _:
            return None


def _wrong_value(workload: Workload, key: int, reply: Json) -> str | None:
    header = workload.header
    if key >= header.preload_keys:
        return None if reply is None or reply is False else "null, because the key does not exist"
    value = as_bytes(reply)
    if value is None:
        return "a value"
    if not header.sizes.min_bytes <= len(value) <= header.sizes.max_bytes:
        return f"a value of {header.sizes.min_bytes} to {header.sizes.max_bytes} bytes"
    return None if value == workload.value(key, len(value)) else "the value of its key"


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


def _values_of_map(reply: Json) -> Json:
    """Return the values of HGETALL's reply; RESP2 has no maps, and not every library makes one."""
    if isinstance(reply, dict) and "map" in reply:
        return [value for _, value in reply["map"]]
    return reply[1::2] if isinstance(reply, list) else reply


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


def _is_ok(reply: Json) -> bool:
    # A method may return nothing where the reply is always the same.
    return reply is None or reply is True or as_bytes(reply) == b"OK"


def _is_positive(reply: Json) -> bool:
    return isinstance(reply, int) and reply > 0


def _is(number: int) -> Callable[[Json], bool]:
    # A library may say false for 0 and true for 1.
    return lambda reply: isinstance(reply, int) and reply == number


def _is_step(reply: Json) -> bool:
    match reply:
        case [_, [*_]]:
            return True
    return False


OF_KEY: Final[dict[str, Callable[[Workload, int, Json], str | None]]] = {
    "GET": _wrong_value,
    "LPOP": _not_empty,
    "BLPOP": _not_empty,
    "SMEMBERS": _wrong_members,
    "PUBLISH": _wrong_subscribers,
}
"""Returns what a reply must be if it is not, by command."""
FIXED: Final[dict[str, tuple[str, Callable[[Json], bool]]]] = {
    **dict.fromkeys(("SET", "SETEX", "MSET", "LTRIM", "SELECT", "AUTH"), ("OK", _is_ok)),
    "PING": ("PONG", lambda reply: reply is True or as_bytes(reply) == b"PONG"),
    "INCRBY": ("a whole number above 0", _is_positive),
    "LPUSH": ("a whole number above 0", _is_positive),
    "SADD": ("0, because the member exists", _is(0)),
    "ZADD": ("0, because the member exists", _is(0)),
    "EXPIRE": ("1, because the key exists", _is(1)),
    "KEYS": ("a list of keys", lambda reply: isinstance(reply, list) and bool(reply)),
    "SCAN": ("a cursor and a list of keys", _is_step),
    "SORT": ("a list of values", lambda reply: isinstance(reply, list) and bool(reply)),
}
"""What replies must be that do not depend on keys, and whether one is that."""
