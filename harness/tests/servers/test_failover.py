"""A primary of a cluster and its replica: whose keys it has, when the replica takes over, who tells clients of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from respmark.contract.trial import Endpoint
from respmark.machine.guardian import Guardian
from respmark.network.relay import Relay
from respmark.servers.cluster import connected
from respmark.servers.control import Control
from respmark.servers.failover import Connections, How
from respmark.servers.group import Group, spawn_group
from respmark.specs.server import SpawnedServer

SPEC = SpawnedServer(
    name="spawned",
    summary="",
    servers=("valkey-server", "redis-server"),
    primaries=3,
    replicas=1,
    settings={"cluster-node-timeout": "1000"},
)
KEYS = [f"counter:{number}".encode() for number in range(60)]


@pytest.fixture
def group(guardian: Guardian) -> Iterator[Group]:
    made = spawn_group(SPEC, guardian)
    yield made
    made.close()


@pytest.fixture
def control(group: Group) -> Iterator[Control]:
    with closing(connected(group.endpoint)) as made:
        yield made


def wait_until(reached: Callable[[], bool]) -> None:
    while not reached():
        time.sleep(0.02)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["killed", "paused", "replaced"])
def test_a_replica_takes_a_primarys_place_with_all_that_had_come_to_it(
    group: Group, control: Control, how: How
) -> None:
    """What is asked of the keys goes to whoever holds them by then; the node that clients are sent to stays."""
    failover = group.failover(control)
    affected = [key for key in KEYS if failover.is_affected(key)]
    assert 0 < len(affected) < len(KEYS)
    assert not any(control.holding(key).endpoint == group.endpoint for key in affected)
    for number, key in enumerate(KEYS):
        control.holding(key).command("SET", key, number)
    counts = failover.values(KEYS)
    assert counts == list(range(len(KEYS)))
    (replica,) = failover.replicas
    wait_until(lambda: failover.copies(affected) == [failover.values(affected)])
    failover.begin(how)
    assert len(failover.answering) == (6 if how == "replaced" else 5)
    wait_until(failover.is_over)
    failover.resume()
    assert failover.successor is replica
    assert failover.values(KEYS) == counts
    for key in affected:
        assert failover.holding(key).command("INCR", key) == counts[KEYS.index(key)] + 1


@pytest.mark.timeout(60)
def test_nodes_that_tell_clients_another_address_are_known_by_it(guardian: Guardian) -> None:
    """They are behind relays, which clients go through, and we do not."""
    with ExitStack() as stack:
        relays: dict[int | None, Relay] = {}

        def before(node: Endpoint) -> Endpoint:
            relay = stack.enter_context(closing(Relay(node)))
            relays[relay.endpoint.port] = relay
            return relay.endpoint

        group = stack.enter_context(closing(spawn_group(SPEC, guardian, before=before)))
        control = stack.enter_context(closing(connected(group.endpoint, group.direct)))
        failover = group.failover(control)
        assert failover.primary.announced.port in relays
        assert failover.primary.announced != failover.primary.endpoint
        failover.begin("replaced")
        wait_until(failover.is_over)
        assert failover.successor is failover.replicas[0]


@pytest.mark.timeout(60)
def test_connections_are_counted_by_node_without_ours_and_those_between_nodes(group: Group, control: Control) -> None:
    failover = group.failover(control)
    before = failover.connections()
    assert (len(before), [one.still_open for one in before.values()]) == (6, [0] * 6)
    assert sorted(one.replicas for one in before.values()) == [0, 0, 0, 1, 1, 1]
    with closing(Control(failover.replicas[0].endpoint).open()):
        now = failover.connections()
    assert [now[node].opened_since(before[node]) for node in before] == [
        int(one is failover.replicas[0]) for one in now
    ]
    assert sum(one.still_open for one in now.values()) == 1
    assert not failover.is_over(), "nobody has told the replica to take over"


def test_a_replica_that_connects_is_no_client() -> None:
    before = Connections(received=10, replicas=0, still_open=3)
    assert Connections(received=14, replicas=1, still_open=5).opened_since(before) == 3
    assert Connections(received=14, replicas=0, still_open=5).opened_since(before._replace(replicas=1)) == 4
