"""Whether there is room for a plan: memory, connections and disk, before anything starts."""

import shutil
from collections.abc import Mapping
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
    needed: Needs, folder: Path, *, server_here: bool, limits: Mapping[str, int | None] = MappingProxyType({})
) -> None:
    """Refuse, with a NothingRanError, a run whose folder is to be made there and for which there is not enough room.

    `limits` are the connections that servers take.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    memory_there, disk_there = available_memory_bytes(), shutil.disk_usage(there).free
    memory = needed.runners + (needed.server if server_here else 0)
    advice = "choose fewer clients, or a smaller --workload"
    if memory_there is not None and memory > memory_there:
        keys = f", {_gib(needed.server)} of it for the server with the workload's keys" if server_here else ""
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
