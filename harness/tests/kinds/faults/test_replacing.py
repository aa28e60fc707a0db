"""A primary that is replaced: when its replica's copies are read, and what is known meanwhile."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from respmark.kinds.faults.replacing import COPIED_NS, Replacing
from respmark.kinds.faults.writes import Replaced
from respmark.servers.control import Control
from respmark.servers.failover import Connections, Failover, How

COUNTERS = {0: (b"a", 100), 2: (b"b", 200)}
NODES = [cast("Control", name) for name in ("primary", "replica", "other")]


class Scripted:
    """A failover of which a test says what comes next."""

    def __init__(self) -> None:
        self.replicas = [NODES[1]]
        self.successor: Control | None = None
        self.answering = list(NODES)
        self.copied = [[105, 207]]
        self.asked = 0
        self.received = 7

    def begin(self, how: How) -> None:
        if how != "replaced":
            self.answering.remove(NODES[0])

    def is_over(self) -> bool:
        return self.successor is not None

    def copies(self, keys: Sequence[bytes]) -> list[list[int]]:
        assert list(keys) == [b"a", b"b"]
        self.asked += 1
        return self.copied

    def values(self, keys: Sequence[bytes]) -> list[int]:
        return [1] * len(keys)

    def connections(self) -> dict[Control, Connections]:
        return {node: Connections(self.received, 0, 2) for node in self.answering}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    now = [0]
    monkeypatch.setattr("respmark.kinds.faults.replacing.time.monotonic_ns", lambda: now[0])
    return now


def made(how: How, scripted: Scripted) -> Replacing:
    return Replacing(how, cast("Failover", cast("Any", scripted)), COUNTERS)


@pytest.mark.parametrize("how", ["killed", "paused"])
def test_a_replica_is_read_before_it_takes_over(clock: list[int], how: How) -> None:
    """Once, when what its primary had sent has come: what others write after that is not the primary's."""
    scripted = Scripted()
    breaking = made(how, scripted)
    assert breaking.values([b"a"]) == [1]
    breaking.begin()
    assert breaking.values([b"a"]) is None
    clock[0] = COPIED_NS - 1
    assert (breaking.is_over(), scripted.asked) == (False, 0)
    clock[0] = COPIED_NS
    assert (breaking.is_over(), scripted.asked) == (False, 1)
    clock[0], scripted.copied = 9 * COPIED_NS, [[999, 999]]
    scripted.successor = NODES[1]
    assert (breaking.is_over(), scripted.asked, breaking.values([b"a"])) == (True, 1, [1])
    assert breaking.replaced == Replaced(frozenset({0, 2}), {0: 5, 2: 7}, COPIED_NS)


def test_a_replica_that_is_told_to_take_over_is_read_when_it_has(clock: list[int]) -> None:
    """Until then its primary takes writes, and from some moment on sends everybody to the replica, us as well."""
    scripted = Scripted()
    breaking = made("replaced", scripted)
    breaking.begin()
    clock[0] = 5 * COPIED_NS
    assert (breaking.is_over(), scripted.asked, breaking.values([b"a"])) == (False, 0, None)
    scripted.successor = NODES[1]
    assert (breaking.is_over(), scripted.asked, breaking.values([b"a"])) == (True, 1, [1])
    assert breaking.replaced.copied_ns == 5 * COPIED_NS


def test_of_a_primary_that_nobody_replaced_nothing_is_known(clock: list[int]) -> None:
    breaking = made("killed", Scripted())
    breaking.begin()
    clock[0] = COPIED_NS
    assert not breaking.is_over()
    assert breaking.replaced == Replaced(frozenset({0, 2}), {}, COPIED_NS)


def test_connections_are_those_to_nodes_that_answer_since_they_were_asked_for() -> None:
    """The busiest 100 ms are those between two looks."""
    scripted = Scripted()
    breaking = made("killed", scripted)
    before = breaking.counts()
    assert (before.opened, before.still_open) == (0, 6)
    breaking.begin()
    for scripted.received in (10, 11):
        breaking.look()
    counts = breaking.counts()
    assert (counts.opened, counts.busiest, counts.still_open) == (8, 6, 4)
    assert (breaking.counts().opened, breaking.counts().busiest) == (0, 0)
