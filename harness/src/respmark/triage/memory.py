"""Signals of a server's memory and keys, by INFO."""

from typing import Final

from respmark.servers.info import pairs_of
from respmark.triage.counters import Counters, numbers_in

KNOWN: Final = {
    "memory_percent": "used memory as a share of `maxmemory`; 0 if there is no limit",
    "memory_of_machine_percent": "used memory as a share of the machine's",
    "maxmemory_suggested_mb": (
        "half as much again as `maxmemory`, or three quarters of the machine's memory if there is none; missing if "
        "that is more than the machine has to spare, or not well above what is used"
    ),
    "has_jemalloc": "1 if the allocator is jemalloc, else 0",
    "has_maxmemory": "1 if `maxmemory` is set, else 0",
    "evicts_only_expiring": "1 if `maxmemory-policy` evicts only keys that have an expiry, else 0",
    "keys": "keys in all databases",
    "keys_with_expiry": "keys in all databases that have an expiry",
    "without_expiry_percent": "share of keys without an expiry",
    "sampled_keys": "keys that `--keys` sampled",
}
OF_MACHINE: Final = 0.75
"""The share of a machine's memory that a server may be given: a snapshot needs some, too."""
HALF_AS_MUCH_AGAIN: Final = 1.5
ABOVE_USED: Final = 1.1
"""A limit close to what is used would have writes refused, or keys evicted, at once."""


def memory(counters: Counters) -> dict[str, float]:
    """Return the signals of its memory."""
    used, most, machine = (counters.now(name) for name in ("used_memory", "maxmemory", "total_system_memory"))
    suggested, last = _suggested(used, most, machine), counters.node.last
    return {
        **({"maxmemory_suggested_mb": suggested} if suggested else {}),
        "has_jemalloc": float(last.get("mem_allocator", "").startswith("jemalloc")),
        "has_maxmemory": float(most > 0),
        "memory_percent": 100 * used / most if most else 0.0,
        "memory_of_machine_percent": 100 * used / machine if machine else 0.0,
        "evicts_only_expiring": float(last.get("maxmemory_policy", "").startswith("volatile")),
    }


def _suggested(used: float, most: float, machine: float) -> int | None:
    """Return a value for `maxmemory` in MiB that makes room for what is used; None: there is none to be had."""
    room = OF_MACHINE * machine
    wanted = min(HALF_AS_MUCH_AGAIN * most, room) if most else room
    mib = int(wanted / 2**20)
    return mib if mib * 2**20 > max(ABOVE_USED * used, most) else None


def keys(counters: Counters) -> dict[str, float]:
    """Return the signals of its keys."""
    databases = [
        numbers_in(pairs_of(value))
        for name, value in counters.node.last.items()
        if name.startswith("db") and "keys=" in value
    ]
    number, expiring = (sum(one.get(name, 0) for one in databases) for name in ("keys", "expires"))
    return {
        "keys": number,
        "keys_with_expiry": expiring,
        "without_expiry_percent": 100 * (number - expiring) / max(number, 1),
        "sampled_keys": counters.node.keys.seen if counters.node.keys else 0,
    }
