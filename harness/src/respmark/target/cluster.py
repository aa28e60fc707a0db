"""Cluster mode: a server that has all slots serves every scenario, if the keys of a unit are in one slot."""

from typing import Any, Final

from respmark.errors import TargetError
from respmark.target.control import Control
from respmark.target.info import info_text, parse_info
from respmark.target.url import address

SLOTS: Final = 16_384


def keys_share_a_slot(control: Control) -> bool:
    """Return whether the run's keys must be in one slot, because the server is in cluster mode."""
    if parse_info(info_text(control, "cluster")).get("cluster_enabled") != "1":
        return False
    # Each range: its first and last slot, the primary as host, port and ID, replicas.
    ranges: list[list[Any]] = control.command("CLUSTER", "SLOTS")
    where, shards = f"the target at {address(control.endpoint)}", len({bytes(one[2][2]) for one in ranges})
    if shards > 1:
        raise TargetError(
            f"{where} is in a cluster of {shards} shards; respmark does not measure clients of clusters yet: name a "
            "server outside a cluster, or one whose cluster has a single shard"
        )
    assigned = sum(last - first + 1 for first, last, *_ in ranges)
    if assigned < SLOTS:
        raise TargetError(
            f"{where} is in cluster mode, and {SLOTS - assigned:,} of {SLOTS:,} slots have no server: give it all of "
            f"them (CLUSTER ADDSLOTSRANGE 0 {SLOTS - 1}), or name a server outside a cluster"
        )
    return True
