"""Slots that the run moves in a real cluster: keys stay, everybody knows where, and the run tells what it sent."""

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from respmark.errors import ServerError, UnsupportedError
from respmark.machine.guardian import Guardian
from respmark.servers.cluster import Cluster, connected, slot_of
from respmark.servers.evidence import connections, evidence_between, take
from respmark.servers.group import spawn_group
from respmark.servers.moves import SlotMover
from respmark.workload.spec import MovesSpec
from tests.user_server import SPAWNED

KEYS = [b"key:%d" % number for number in range(60)]
SLOTS = {slot_of(key) for key in KEYS}
ENOUGH = 30


@pytest.fixture
def cluster(guardian: Guardian) -> Iterator[Cluster]:
    made = spawn_group(SPAWNED.model_copy(update={"primaries": 3}), guardian)
    control = connected(made.endpoint)
    assert isinstance(control, Cluster)
    for key in KEYS:
        control.holding(key).command("SET", key, "value")
    yield control
    control.close()
    made.close()


def places(cluster: Cluster) -> list[int]:
    return [cluster.place_of(slot) for slot in sorted(SLOTS)]


def test_keys_go_with_their_slots_and_what_the_run_sent_is_told(cluster: Cluster) -> None:
    """Nothing is left that a client could have sent, but for a SELECT on each connection of a node to another."""
    mover = SlotMover(cluster, SLOTS, MovesSpec(by="setslot", slots=2, per_second=200))
    before, begun, where = take(cluster), Counter(places(cluster)), places(cluster)
    mover.begin(time.monotonic_ns())
    while sum(one != other for one, other in zip(places(cluster), where, strict=True)) < ENOUGH:
        pass
    done, after = mover.end(), take(cluster)
    mover.close()
    left = evidence_between(before, after).without(done)
    assert set(left.calls) <= {"select"}
    assert (left.hits, left.misses, left.reads, left.input_bytes) == (0, 0, None, None)
    assert connections(after) == connections(before)
    assert (done.moved_slots or 0) >= ENOUGH
    assert [cluster.holding(key).command("GET", key) for key in KEYS] == [b"value"] * len(KEYS)
    assert sum(cluster.on_each("DBSIZE")) == len(KEYS)
    again = connected(cluster.endpoint)
    assert isinstance(again, Cluster)
    ports = [[one.holding(key).endpoint.port for key in KEYS] for one in (cluster, again)]
    again.close()
    assert ports[0] == ports[1]
    assert all(abs(count - begun[place]) <= 2 for place, count in Counter(places(cluster)).items())


def test_a_server_that_cannot_move_slots_so_is_told_before_it_is_asked_to(cluster: Cluster) -> None:
    spec = MovesSpec(by="migrateslots", per_second=1)
    try:
        cluster.command("CLUSTER", "GETSLOTMIGRATIONS")
    except ServerError:
        with pytest.raises(UnsupportedError, match=r"has no CLUSTER MIGRATESLOTS, which came with Valkey 9\.0"):
            SlotMover(cluster, SLOTS, spec)
    else:
        SlotMover(cluster, SLOTS, spec).close()
