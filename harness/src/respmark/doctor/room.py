"""Whether there is enough memory and disk for a run, before anything is started."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark.errors import NothingRanError
from respmark.evidence.kernel import available_memory_bytes
from respmark.plan.needs import Needs

GIB: Final = 2**30
SMALL_RUN: Final = 16 * 2**20
"""Runs that write less are not refused for lack of disk: needs are estimates, and a small run is soon repeated."""


@dataclass(frozen=True)
class Room:
    """What is available, in bytes; None if unknown."""

    memory: int | None
    disk: int | None


def room_at(folder: Path) -> Room:
    """Return what is available for a run whose folder is to be made there."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return Room(available_memory_bytes(), shutil.disk_usage(there).free)


def check_room(needed: Needs, room: Room, *, server_here: bool) -> None:
    """Refuse a run for which there is not enough room.

    Raises NothingRanError, which says what is needed, what is available, and what would need less.
    """
    memory = needed.runners + (needed.server if server_here else 0)
    advice = "choose fewer clients, or a smaller --scale or --workload"
    if room.memory is not None and memory > room.memory:
        keys = f", {_gib(needed.server)} of it for the server with the workload's keys" if server_here else ""
        raise NothingRanError(
            f"the run needs about {_gib(memory)} of memory{keys}; there are {_gib(room.memory)}: {advice}"
        )
    if room.disk is not None and needed.disk > max(room.disk, SMALL_RUN):
        raise NothingRanError(
            f"the run writes about {_gib(needed.disk)}; there are {_gib(room.disk)} on the disk: {advice}, or --out"
        )


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
