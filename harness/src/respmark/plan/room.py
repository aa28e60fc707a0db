"""Whether there is room for a plan: memory, connections and disk, before anything starts."""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from respmark.errors import NothingRanError
from respmark.machine.kernel import available_memory_bytes
from respmark.plan.needs import Needs

SMALL_RUN: Final = 16 * 2**20
"""Runs that write less are not refused for lack of disk: needs are estimates, and a small run is soon repeated."""
CONNECTIONS_BESIDE: Final = 20
"""The harness's own connections to a server, and the files of a server that does not have as many as it asked for."""


def check_room(
    needed: Needs,
    folder: Path,
    *,
    servers_here: Collection[str],
    limits: Mapping[str, int | None] = MappingProxyType({}),
) -> None:
    """Refuse, with a NothingRanError, a run whose folder is to be made there and for which there is not enough room.

    `servers_here` are those that need this machine's memory; `limits` the connections that all nodes of servers take.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    memory_there, disk_there = available_memory_bytes(), shutil.disk_usage(there).free
    here = sum(needed.servers[name] for name in servers_here)
    memory = needed.runners + here
    advice = "choose fewer clients, or a smaller --workload"
    if memory_there is not None and memory > memory_there:
        whom = f"the {len(servers_here)} servers" if len(servers_here) > 1 else "the server"
        keys = f", {_gib(here)} of it for {whom} with the workload's keys" if here else ""
        raise NothingRanError(
            f"the run needs about {_gib(memory)} of memory{keys}, but {_gib(memory_there)} are free: {advice}"
        )
    for server, connections in needed.connections.items():
        if (limit := limits.get(server)) is not None and connections + CONNECTIONS_BESIDE > limit:
            raise NothingRanError(
                f"the clients of a block open {connections:,} connections to {server}, which accepts "
                f"{limit:,}: measure fewer clients at a time, or raise its limit and use a unix socket, which needs no "
                "ports ([maxclients=…,transport=unix])"
            )
    if needed.disk > max(disk_there, SMALL_RUN):
        raise NothingRanError(
            f"the run writes about {_gib(needed.disk)}, but {_gib(disk_there)} are free on the disk: {advice}, or --out"
        )


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
