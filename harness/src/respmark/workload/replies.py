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

from respmark.workload.commands import Reply, known
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument
from respmark.workload.workload import Workload

Json = Any
"""A reply as JSON has it."""
Rule = Callable[[Workload, CommandSpec, int, Json], str | None]
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
    rule = known(kind.name).reply
    return None if rule is None else RULES[rule](workload, kind, key, reply)


def _wrong_values(workload: Workload, keys: list[int], values: Json) -> str | None:
    """Return what is wrong with the values of these keys, in their order."""
    if not isinstance(values, list) or len(values) != len(keys):
        return f"{len(keys)} values"
    found = (_wrong_value(workload, one, value) for one, value in zip(keys, values, strict=True))
    return next(filter(None, found), None)


def _values_of_keys(workload: Workload, kind: CommandSpec, key: int, reply: Json) -> str | None:
    keys = [key + one.offset for one in kind.arguments if isinstance(one, KeyArgument)]
    return _wrong_values(workload, keys, reply)


def _elements(workload: Workload, kind: CommandSpec, key: int, reply: Json) -> str | None:
    """Every list has all the elements that the indexes select."""
    first, last = (int(one.text) for one in kind.arguments if isinstance(one, LiteralArgument))
    return _wrong_values(workload, [key] * (last - first + 1), reply)


def _popped(workload: Workload, _kind: CommandSpec, key: int, reply: Json) -> str | None:
    """Nothing, if the list is none of the preloaded keys; else it is not known."""
    return None if key < workload.header.preload_keys or not reply else "null, because the list is empty"


def _members(workload: Workload, _kind: CommandSpec, _key: int, reply: Json) -> str | None:
    """All members of a set of numbers, in any order."""
    count = workload.header.set_members
    found = {as_bytes(one) for one in reply} if isinstance(reply, list) else set()
    return None if found == {b"%d" % number for number in range(count)} else f"the {count} members of its set"


def _subscribers(workload: Workload, _kind: CommandSpec, _key: int, reply: Json) -> str | None:
    """How many there are; a library may have a list of it for any command."""
    count = workload.header.subscribers
    number = reply[0] if isinstance(reply, list) and len(reply) == 1 else reply
    return None if isinstance(number, int) and number == count else f"{count}, the number of subscribers"


def _wrong_value(workload: Workload, key: int, reply: Json) -> str | None:
    header = workload.header
    if key >= header.preload_keys:
        return None if reply is None or reply is False else "null, because the key does not exist"
    value = as_bytes(reply)
    if header.in_order and (reply is None or reply is False):
        return None  # a replica may not have it yet
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


def _is_step(reply: Json) -> bool:
    match reply:
        case [_, [*_]]:
            return True
    return False


def _always(words: str, is_right: Callable[[Json], bool]) -> Rule:
    """Return the rule of replies that depend on nothing; `words` say what they must be."""
    return lambda _workload, _kind, _key, reply: None if is_right(reply) else words


RULES: Final[dict[Reply, Rule]] = {
    "OK": _always("OK", _is_ok),
    "PONG": _always("PONG", lambda reply: reply is True or as_bytes(reply) == b"PONG"),
    "above 0": _always("a whole number above 0", lambda reply: isinstance(reply, int) and reply > 0),
    # A library may say false for 0 and true for 1.
    "0": _always("0, because the member exists", lambda reply: isinstance(reply, int) and reply == 0),
    "1": _always("1, because the key exists", lambda reply: isinstance(reply, int) and reply == 1),
    "list": _always("a list that is not empty", lambda reply: isinstance(reply, list) and bool(reply)),
    "cursor": _always("a cursor and a list of keys", _is_step),
    "value": lambda workload, _kind, key, reply: _wrong_value(workload, key, reply),
    "values of keys": _values_of_keys,
    "map": lambda workload, _kind, key, reply: _wrong_values(
        workload, [key] * workload.header.hash_fields, _values_of_map(reply)
    ),
    "elements": _elements,
    "numbers": _members,
    "popped": _popped,
    "subscribers": _subscribers,
}
"""Return what a reply must be if it is not that."""
