"""Signals of the commands that all clients together sent, by the server's counters."""

from typing import Final

from respmark.servers.info import NO_CALLS
from respmark.triage.counters import Counters
from respmark.triage.snapshot import ClientGroup

KNOWN: Final = {
    "commands_per_s": "commands of all clients, without respmark's own",
    "input_bytes_per_command": "bytes that clients sent per command",
    "output_bytes_per_command": (
        "bytes that the server sent per command; where it counts them by connection, to the client that gets most"
    ),
    "cpu_percent": "of one CPU: the main thread's where the server reports it, else the whole process's",
    "expires_per_s": "EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT",
    "expires_per_set": "the same per SET, without one for each write that takes no expiry (HSET, INCR, ...)",
    "pops_per_s": "LPOP, RPOP and other pops that do not block",
    "pops_per_push": "the same per LPUSH, RPUSH or other push",
    "empty_pops_per_s": "pops that changed nothing, by the changes that the server counts",
    "empty_pop_percent": "their share of all pops",
    "watch_conflicts_per_s": (
        "EXECs that executed nothing because a watched key had changed: at least those beyond the number of all "
        "commands that could have been in a transaction; where MONITOR ran, those that it saw"
    ),
    "watch_conflict_percent": "their share of the EXECs that followed a WATCH",
}
EXPIRES: Final = ("expire", "pexpire", "expireat", "pexpireat")
POPS: Final = ("lpop", "rpop", "lmpop", "rpoplpush", "lmove")
PUSHES: Final = ("lpush", "rpush", "lpushx", "rpushx", "rpoplpush", "lmove", "brpoplpush", "blmove", "linsert")
WITHOUT_EXPIRY: Final = (
    *("hset", "hmset", "hincrby", "incr", "incrby", "decr", "decrby", "incrbyfloat", "append", "setnx", "mset"),
    *("sadd", "zadd", "zincrby", "lpush", "rpush", "xadd", "pfadd", "setbit", "eval", "evalsha"),
)
"""Writes that an EXPIRE may follow, because they cannot set one themselves."""
CHANGING: Final = (
    *WITHOUT_EXPIRY,
    *("set", "setex", "psetex", "getset", "getdel", "del", "unlink", "srem", "zrem", "hdel", "ltrim", "lrem", "lset"),
    *("persist", "copy", "rename", "restore", "xack", "xreadgroup", "xdel", "xtrim", "spop", "zpopmin", "zpopmax"),
)
"""Commands that change data, besides pushes and pops."""
NOT_QUEUED: Final = frozenset(
    {
        *("watch", "unwatch", "multi", "exec", "discard", "ping", "echo", "hello", "auth", "select", "info", "client"),
        *("config", "command", "memory", "slowlog", "latency", "cluster", "readonly", "dbsize", "keys", "scan"),
        *("get", "mget", "getrange", "strlen", "exists", "ttl", "pttl", "type", "hget", "hmget", "hgetall", "hkeys"),
        *("hvals", "hlen", "hexists", "hscan", "lrange", "llen", "lindex", "smembers", "sismember", "smismember"),
        *("scard", "sscan", "zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore", "zscore", "zmscore", "zcard"),
        *("zcount", "zrank", "zrevrank", "zscan", "xrange", "xrevrange", "xlen", "xread", "subscribe", "unsubscribe"),
    }
)
"""Commands for which alone nobody needs a transaction that watches a key: they set up, or only read."""


def traffic(counters: Counters) -> dict[str, float]:
    """Return the signals."""
    commands, s = counters.commands, counters.seconds
    expires, pops, pushes = (counters.called(*names) for names in (EXPIRES, POPS, PUSHES))
    cpu = "used_cpu_{}_main_thread" if "used_cpu_user_main_thread" in counters.node.last else "used_cpu_{}"
    return {
        "commands_per_s": commands / s,
        "input_bytes_per_command": counters.changed("total_net_input_bytes") / max(commands, 1),
        "output_bytes_per_command": _reply_bytes(counters),
        "cpu_percent": 100 * sum(counters.changed(cpu.format(kind)) for kind in ("user", "sys")) / s,
        "expires_per_s": expires / s,
        "expires_per_set": (
            max(0, expires - counters.called(*WITHOUT_EXPIRY)) / max(counters.calls.get("set", NO_CALLS).calls, 1)
        ),
        "pops_per_s": pops / s,
        "pops_per_push": pops / max(pushes, 1),
        **_empty_pops(counters, pops),
        **_conflicts(counters),
    }


def _reply_bytes(counters: Counters) -> float:
    of_clients = map(reply_bytes_of, counters.node.clients)
    by_client = [one for one in of_clients if one is not None]
    return max(by_client, default=mean_reply_bytes(counters))


def mean_reply_bytes(counters: Counters) -> float:
    """Return how many bytes the server sent per command, to all clients."""
    return counters.changed("total_net_output_bytes") / max(counters.commands, 1)


def reply_bytes_of(group: ClientGroup) -> float | None:
    """Return how many bytes the server sent to clients per command of theirs; None: not counted, or not by command."""
    if group.sent_bytes is None or not group.calls or group.subscribed or group.monitoring:
        return None
    return group.sent_bytes / group.calls


def _empty_pops(counters: Counters, pops: int) -> dict[str, float]:
    """Return how many pops changed nothing; empty if that is not known, as after a snapshot."""
    if "rdb_changes_since_last_save" not in counters.node.first or counters.changed("rdb_changes_since_last_save") < 0:
        return {}
    others = counters.called(*CHANGING, *PUSHES, *EXPIRES)
    found = min(max(counters.changed("rdb_changes_since_last_save") - others, 0.0), pops)
    return {
        "empty_pops_per_s": (pops - found) / counters.seconds,
        "empty_pop_percent": 100 * (pops - found) / max(pops, 1),
    }


def _conflicts(counters: Counters) -> dict[str, float]:
    """Return how many transactions failed because of WATCH.

    A server does not count them. But what is queued is executed, and counted, only if the EXEC succeeds: EXECs that
    outnumber all commands that can have been queued have failed.
    """
    if (monitor := counters.node.monitor) is not None:
        watched, failed = (sum(getattr(one, name) for one in monitor.clients) for name in ("watched", "conflicts"))
        return _share(failed, watched, monitor.seconds)
    executed = counters.calls.get("exec", NO_CALLS)
    watched = min(executed.calls - executed.failed, counters.called("watch") - counters.called("unwatch", "discard"))
    queued = sum(one.calls for name, one in counters.calls.items() if name.partition("|")[0] not in NOT_QUEUED)
    return _share(max(0, watched - queued), watched, counters.seconds)


def _share(failed: int, watched: int, seconds: float) -> dict[str, float]:
    return {
        "watch_conflicts_per_s": failed / max(seconds, 1e-9),
        "watch_conflict_percent": 100 * failed / max(watched, 1),
    }
