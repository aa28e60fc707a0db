"""Whether there is memory and disk for a run."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from respmark.errors import NothingRanError
from respmark.plan import room
from respmark.plan.needs import Needs

GIB = 2**30
NEEDED = Needs(servers={"spawned": 3 * GIB}, runners=2 * GIB, disk=GIB // 4)
SMALL = Needs(servers={"spawned": 1, "redis@6.2": 1}, runners=1, disk=1)


def check(
    monkeypatch: pytest.MonkeyPatch, memory: int | None, disk: int, *, servers_here: Collection[str] = ("spawned",)
) -> None:
    monkeypatch.setattr(room, "available_memory_bytes", lambda: memory)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=disk))
    room.check_room(NEEDED, Path("results/new"), servers_here=servers_here)


def test_a_run_that_fits_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the free memory is not known; a server that is elsewhere needs none of our memory."""
    check(monkeypatch, 5 * GIB, GIB)
    check(monkeypatch, 2 * GIB, GIB, servers_here=())
    check(monkeypatch, None, GIB)


@pytest.mark.parametrize(
    ("memory", "disk", "said"),
    [
        (
            4 * GIB,
            GIB,
            "needs about 5.0 GiB of memory, 3.0 GiB of it for the server .*, but 4.0 GiB are free: choose fewer",
        ),
        (9 * GIB, GIB // 8, "writes about 0.2 GiB, but 0.1 GiB are free on the disk"),
    ],
)
def test_a_run_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, memory: int, disk: int, said: str) -> None:
    """With what is needed, what there is, and what to do; before hours of it are spent."""
    with pytest.raises(NothingRanError, match=said):
        check(monkeypatch, memory, disk)


def test_too_many_connections_to_a_server_are_refused_before_anything_starts(tmp_path: Path) -> None:
    """With what to do; those of one process are counted by the plan."""
    many = replace(SMALL, connections={"spawned": 5_200, "redis@6.2": 10_400})
    with pytest.raises(NothingRanError, match=r"10,400 connections to redis@6.2, which accepts 10,000.*transport=unix"):
        room.check_room(many, tmp_path, servers_here=(), limits={"spawned": 10_000, "redis@6.2": 10_000})


def test_what_each_server_here_needs_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    both = replace(NEEDED, servers={"spawned": GIB, "redis@6.2": 2 * GIB})
    monkeypatch.setattr(room, "available_memory_bytes", lambda: 4 * GIB)
    with pytest.raises(NothingRanError, match=r"about 5.0 GiB of memory, 3.0 GiB of it for the 2 servers with"):
        room.check_room(both, Path("results/new"), servers_here=("spawned", "redis@6.2"))
    room.check_room(both, Path("results/new"), servers_here=("redis@6.2",))
