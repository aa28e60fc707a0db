"""A user's cluster whose named node goes: the others are asked, and the run's keys are still removed."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.machine.guardian import Guardian
from respmark.servers.cluster import Cluster, connected, connected_by_any
from respmark.servers.control import Control
from respmark.servers.group import Group, spawn_group
from respmark.servers.info import run_ids_of
from respmark.servers.node import Node
from respmark.servers.own_keys import OwnKeys, remove
from respmark.servers.server import Server
from tests.user_server import SPAWNED

SETTINGS = {"cluster-node-timeout": "500", "cluster-replica-no-failover": "yes"}
SPEC = SPAWNED.model_copy(update={"primaries": 2, "replicas": 1, "settings": SETTINGS})
NOBODY = Endpoint(host="127.0.0.1", port=1)


@pytest.fixture
def group(guardian: Guardian) -> Iterator[Group]:
    made = spawn_group(SPEC, guardian)
    yield made
    made.close()


def wait_until_unnamed(asked: Endpoint, gone: Endpoint) -> None:
    """Until a node tells nobody of another one any more."""
    with closing(Control(asked)) as control:
        control.open()
        while any(node[1] == gone.port for one in control.command("CLUSTER", "SLOTS") for node in one[2:]):
            pass


def test_a_cluster_is_reached_by_another_node_if_the_named_one_is_gone(group: Group) -> None:
    """Clients begin at that one, too; a node that was there before is no other server."""
    named = group.members[-1]
    with closing(Server(Node(named.endpoint), allow_flush=True)) as server:
        known = server.known_run_ids
        assert {one.port for one in (named.endpoint, *server.others)} == {one.endpoint.port for one in group.members}
        named.stop()
        wait_until_unnamed(group.endpoint, named.endpoint)
        server.reconnect()
        assert isinstance(server.control, Cluster)
        assert server.known_run_ids == known
        assert server.endpoint in [one.endpoint for one in group.members[:-1]]
        assert server.for_runners == server.told(server.endpoint)
        server.control.on_each("PING")


def test_keys_are_removed_by_any_node_that_is_left(group: Group) -> None:
    with closing(connected(group.endpoint)) as control:
        run_ids = run_ids_of(control) or frozenset()
        keys = OwnKeys(
            endpoint=NOBODY, others=(group.endpoint,), run_ids=run_ids, prefix="respmark:00000000:k", digits=1, count=3
        )
        for number in range(3):
            control.holding(keys.name(number)).command("SET", keys.name(number), "x")
        remove(keys)
        assert sum(control.on_each("DBSIZE")) == 0


def test_if_none_answers_the_named_one_is_reported() -> None:
    with pytest.raises(ServerError, match=r"127\.0\.0\.1:1\b"):
        connected_by_any([NOBODY, NOBODY.model_copy(update={"port": 2})])
