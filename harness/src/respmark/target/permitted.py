"""Which workloads may be sent to a server that holds, or may come to hold, keys of others."""

from typing import Final

from respmark.errors import InvalidRequestError
from respmark.workload.spec import CommandSpec, KeyArgument
from respmark.workload.workload import Workload

WITHOUT_KEYS: Final = frozenset({"PING", "ECHO", "TIME"})
READS: Final = frozenset(
    {"GET", "STRLEN", "GETRANGE", "LLEN", "LRANGE", "LINDEX", "SCARD", "SISMEMBER", "SMEMBERS", "SRANDMEMBER"}
    | {"HGET", "HMGET", "HGETALL", "HLEN", "HEXISTS", "ZCARD", "ZRANGE", "ZSCORE", "ZRANK", "TYPE", "TTL", "PTTL"}
)
WRITES: Final = frozenset(
    {"SET", "SETEX", "PSETEX", "SETNX", "SETRANGE", "GETSET", "APPEND", "INCR", "INCRBY", "DECR", "DECRBY"}
    | {"LPUSH", "RPUSH", "LPOP", "RPOP", "LSET", "LTRIM", "EXPIRE", "SADD", "SREM", "SPOP"}
    | {"HSET", "HMSET", "HDEL", "HINCRBY", "ZADD", "ZREM", "ZINCRBY", "ZPOPMIN", "ZPOPMAX"}
)
"""Commands that change the key in their first argument, and no other."""
MANY_READ: Final = frozenset({"MGET", "EXISTS", "TOUCH"})
MANY_WRITTEN: Final = frozenset({"DEL", "UNLINK"})
"""Commands all of whose arguments are keys."""
PAIRS: Final = frozenset({"MSET", "MSETNX"})
"""Commands whose arguments are keys and values in turn."""
CHANGING: Final = WRITES | MANY_WRITTEN | PAIRS


def check_commands(workload: Workload) -> None:
    """Refuse a workload that could change a key that is not the run's own."""
    for kind, command in enumerate(workload.header.mix):
        goes_beyond = command.name in CHANGING and _last_key(workload, kind) >= workload.header.preload_keys
        if goes_beyond or not _names_its_own_keys(command):
            raise InvalidRequestError(
                f"workload `{workload.header.name}` has {command.name}, which may change keys that the run did not "
                "write; on a server that the run did not start, only commands that change nothing but the run's own "
                "keys are sent (docs/targets.md): measure this workload on a server that respmark starts"
            )


def _last_key(workload: Workload, kind: int) -> int:
    """Return the highest key number that commands of this kind name; -1 if they name none."""
    used = workload.keys[workload.kinds == kind]
    offsets = [a.offset for a in workload.header.mix[kind].arguments if isinstance(a, KeyArgument)]
    return int(used.max()) + max(offsets) if len(used) and offsets else -1


def _names_its_own_keys(command: CommandSpec) -> bool:
    is_key = [isinstance(argument, KeyArgument) for argument in command.arguments]
    if command.name in READS | WRITES:
        return is_key[:1] == [True]
    if command.name in MANY_READ | MANY_WRITTEN:
        return all(is_key)
    if command.name in PAIRS:
        return all(is_key[::2])
    return command.name in WITHOUT_KEYS
