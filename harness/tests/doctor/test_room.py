"""Whether there is memory and disk for a run."""

from dataclasses import replace

import pytest

from respmark.doctor.checks import Room, check_room
from respmark.errors import NothingRanError
from respmark.plan.needs import Needs

GIB = 2**30
NEEDED = Needs(server=3 * GIB, runners=2 * GIB, disk=GIB // 4)


def test_a_run_that_fits_is_let_through() -> None:
    """Also where nobody tells what there is; a server that is elsewhere needs none of our memory."""
    check_room(NEEDED, Room(memory=5 * GIB, disk=GIB), server_here=True)
    check_room(NEEDED, Room(memory=2 * GIB, disk=GIB), server_here=False)
    check_room(NEEDED, Room(memory=None, disk=None), server_here=True)


@pytest.mark.parametrize(
    ("needed", "room", "said"),
    [
        (
            NEEDED,
            Room(memory=4 * GIB, disk=GIB),
            "needs about 5.0 GiB of memory, 3.0 GiB of it for the server .*; there are 4.0 GiB: choose fewer clients",
        ),
        (NEEDED, Room(memory=9 * GIB, disk=GIB // 8), "writes about 0.2 GiB; there are 0.1 GiB on the disk"),
    ],
)
def test_a_run_that_does_not_fit_is_refused(needed: Needs, room: Room, said: str) -> None:
    """With what is needed, what there is, and what to do; before hours of it are spent."""
    with pytest.raises(NothingRanError, match=said):
        check_room(needed, room, server_here=True)


def test_too_many_connections_are_refused_before_anything_starts() -> None:
    """Of one process, and at a server, each with what to do."""
    with pytest.raises(NothingRanError, match=r"a client opens 5,200 connections.*4,096 files.*ulimit -Hn"):
        check_room(replace(NEEDED, files=5_200), Room(None, None, files=4_096), server_here=True)
    many = replace(NEEDED, files=5_200, connections={None: 5_200, "redis@6.2": 10_400})
    with pytest.raises(NothingRanError, match=r"10,400 connections to redis@6.2, which takes 10,000.*transport=unix"):
        check_room(many, Room(None, None, 20_000), server_here=True, limits={None: 10_000, "redis@6.2": 10_000})
