"""What INFO says of a server: which one it is, as each draws a `run_id` when it starts, and if it has all slots."""

from typing import Any, Final

from respmark.errors import AnotherServerError, InfoError, TargetError
from respmark.servers.control import Control
from respmark.servers.url import address


def info_text(control: Control, section: str) -> str:
    """Return a section of INFO as the server writes it; refuse an answer that is not text."""
    answer = control.command("INFO", section)
    if not isinstance(answer, bytes):
        raise InfoError(f"the target at {address(control.endpoint)} answers INFO with something other than text")
    return answer.decode(errors="replace")


def parse_info(text: str) -> dict[str, str]:
    """Return every `name:value` line of INFO."""
    pairs = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def run_id_of(control: Control) -> str | None:
    """Return the `run_id` of the server that a connection leads to; None if it does not report one."""
    return parse_info(info_text(control, "server")).get("run_id")


def check_run_id(control: Control, run_id: str) -> None:
    """Refuse, with an `AnotherServerError`, a server that is not known to be the one with this `run_id`."""
    if run_id_of(control) != run_id:
        raise AnotherServerError(
            f"{address(control.endpoint)} is now another server, or the server there was restarted (its run_id has "
            "changed); what is allowed on one server may not be allowed on another, so the run stops"
        )


def used_memory(control: Control) -> int | None:
    """Return how many bytes a server has allocated, without its clients' buffers; None if it does not say.

    What an earlier command leaves to be freed in the background is waited for: FLUSHDB does so in some servers.
    """
    while (found := parse_info(info_text(control, "memory"))).get("lazyfree_pending_objects", "0") != "0":
        pass
    if "used_memory" not in found:
        return None
    return int(found["used_memory"]) - int(found.get("mem_clients_normal", 0))


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
