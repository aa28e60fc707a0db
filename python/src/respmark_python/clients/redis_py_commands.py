"""Finds redis-py's method for any command of a workload."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from respmark_python.workload.commands import Kind, Word
from respmark_python.workload.walk import Call

OWN_NAMES: Final = {"DEL": "delete"}
"""Commands whose method is not called like the command."""
TAKE_MAPPINGS: Final = frozenset({"MSET", "MSETNX"})
"""Commands whose method takes a mapping of keys to values."""
SAMPLES: Final[Mapping[str, Word]] = {"key": "key", "value": b"value", "literal": ""}


def method(redis: Any, target: Any, kind: Kind) -> Call:
    """Return what sends the command's words through a client or pipeline; of a class, what takes the client first.

    It is the method of the command's name, unless that would send anything but the command's own words: `incr`
    sends INCRBY, `zadd` takes a mapping. Those commands go through `execute_command`, as they stand.
    """
    if _sends_as_written(redis, kind):
        return _method(target, kind)
    if isinstance(target, type):
        return lambda client, *words: client.execute_command(kind.name, *words)
    return partial(target.execute_command, kind.name)


def _method(target: Any, kind: Kind) -> Call:
    send: Call = getattr(target, OWN_NAMES.get(kind.name, kind.name.lower()))
    if kind.name not in TAKE_MAPPINGS:
        return send
    if isinstance(target, type):
        return lambda client, *words: send(client, _mapping(words))
    return lambda *words: send(_mapping(words))


def _mapping(words: Sequence[Word]) -> dict[Word, Word]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _sends_as_written(redis: Any, kind: Kind) -> bool:
    words = tuple(argument.text or SAMPLES[argument.kind] for argument in kind.arguments)
    # A pipeline that is not executed keeps the commands and needs no server.
    pipeline = redis.Redis().pipeline()
    try:
        _method(pipeline, kind)(*words)
    except (AttributeError, LookupError, TypeError, ValueError, redis.RedisError):
        return False
    return [sent for sent, _ in pipeline.command_stack] == [(kind.name, *words)]
