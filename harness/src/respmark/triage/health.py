"""The server's health by INFO: what it says in words or in rows of its own, as signals."""

from collections.abc import Iterator, Mapping
from typing import Final

from respmark.servers.info import pairs_of

KNOWN: Final = {
    "link_is_down": "1 on a replica that has lost its primary, else 0",
    "replicas_behind_s": "of the replica that acknowledged last the longest ago",
    "replicas_behind_bytes": "of the replica that has received least",
    "snapshot_failed": "1 if the last snapshot failed, else 0",
    "aof_failed": "1 if the last write to the append-only file, or its last rewrite, failed, else 0",
    "is_paused": "1 if CLIENT PAUSE is in force (Redis 7.4, Valkey 8), else 0",
    "evicts_nothing": "1 if `maxmemory-policy` is noeviction, else 0",
    "is_loading": "1 while it loads its data, else 0",
}
FAILED: Final = "err"


def health(info: Mapping[str, str]) -> dict[str, float]:
    """Return the signals of a server's INFO."""
    return {
        "link_is_down": float(info.get("master_link_status", "up") != "up"),
        "snapshot_failed": float(info.get("rdb_last_bgsave_status") == FAILED),
        "aof_failed": float(FAILED in {info.get("aof_last_write_status"), info.get("aof_last_bgrewrite_status")}),
        "is_paused": float(info.get("paused_actions", "none") != "none"),
        "evicts_nothing": float(info.get("maxmemory_policy") == "noeviction"),
        "is_loading": float(info.get("loading") == "1"),
        **_replicas(info),
    }


def _replicas(info: Mapping[str, str]) -> dict[str, float]:
    online = [one for one in _online(info) if one.get("lag", "").isdecimal() and one.get("offset", "").isdecimal()]
    offset = info.get("master_repl_offset", "")
    if not online or not offset.isdecimal():
        return {}
    return {
        "replicas_behind_s": max(float(one["lag"]) for one in online),
        "replicas_behind_bytes": max(0.0, *(float(offset) - float(one["offset"]) for one in online)),
    }


def _online(info: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each replica that has its copy: `slave0:ip=…,state=online,offset=…,lag=…`."""
    for name, text in info.items():
        if name.startswith("slave") and name.removeprefix("slave").isdecimal():
            fields = pairs_of(text)
            if fields.get("state") == "online":
                yield fields
