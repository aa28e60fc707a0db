"""Clusters that a run starts: nodes that know each other, on ports that nobody else takes."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from respmark.contract.trial import Endpoint
from respmark.machine.guardian import Guardian
from respmark.network.relay import Relay
from respmark.servers import ports
from respmark.servers.cluster import Cluster, connected
from respmark.servers.group import Group, spawn_group
from respmark.servers.info import Info, info_text
from respmark.servers.node import BUS
from respmark.servers.ports import fixed_ports
from respmark.servers.server import Server
from respmark.specs.server import SpawnedServer

SPEC = SpawnedServer(name="spawned", summary="", servers=("valkey-server", "redis-server"), primaries=2, replicas=1)


@pytest.fixture
def group(guardian: Guardian) -> Iterator[Group]:
    made = spawn_group(SPEC, guardian)
    pids = made.pids
    yield made
    made.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def is_whole(endpoint: Endpoint) -> bool:
    with closing(connected(endpoint)) as control:
        assert isinstance(control, Cluster)
        owners = {control.holding(key).endpoint.port for key in (b"foo", b"bar")}
        return (len(control.nodes), len(control.replicas), len(owners)) == (2, 2, 2)


def test_a_cluster_is_started_as_one_and_started_again_where_it_was(group: Group) -> None:
    """Two primaries with a replica each, one password, whatever has become of a node; clients are told what it is."""
    server = Server(group, allow_flush=True)
    with closing(server):
        assert is_whole(group.endpoint)
        assert (server.is_cluster, server.for_runners.cluster, len(group.pids), server.pid) == (True, True, 4, None)
        assert len(server.known_run_ids) == 4
        server.control.holding(b"foo").command("SET", "foo", "x")
        before = group.endpoint
        group.members[1].stop()
        server.reconnect()
        assert (group.endpoint, is_whole(before)) == (before, True)


def test_clients_learn_what_stands_before_each_node(guardian: Guardian) -> None:
    """Replicas reach their primaries through it, too; we reach every node itself."""
    with ExitStack() as stack:

        def put_before(node: Endpoint) -> Endpoint:
            return stack.enter_context(closing(Relay(node))).endpoint

        group = spawn_group(SPEC, guardian, before=put_before)
        stack.callback(group.close)
        own, told = ({getattr(one, name).port for one in group.members} for name in ("endpoint", "announced"))
        with closing(connected(group.endpoint)) as control:
            assert {one.endpoint.port for one in control.every} == told
        with closing(connected(group.endpoint, group.direct)) as control:
            assert {one.endpoint.port for one in control.every} == own
            assert not own & told
            primaries = {
                int(Info.read(info_text(one, "replication")).fields["master_port"]) for one in control.replicas
            }
            assert primaries < told


def test_clients_of_a_cluster_with_tls_learn_of_ports_with_tls(guardian: Guardian) -> None:
    """One authority vouches for every node, and replicas are there, too; we do without TLS."""
    group = spawn_group(SPEC.model_copy(update={"transport": "tls"}), guardian)
    with closing(group), closing(Server(group, allow_flush=True)) as server:
        plain, secured = (
            {one.endpoint.port for one in group.members},
            {one.secured.port for one in group.members if one.secured},
        )
        assert {one.endpoint.port for one in server.control.every} == plain
        reached = server.for_runners
        assert reached.tls is not None
        with closing(connected(reached)) as control:
            assert isinstance(control, Cluster)
            assert {one.endpoint.port for one in control.every} == secured
            assert (len(control.nodes), len(control.replicas)) == (2, 2)
            control.holding(b"foo").command("SET", "foo", "x")
        assert server.control.holding(b"foo").command("GET", "foo") == b"x"


def test_a_nodes_port_and_that_of_its_bus_are_taken_by_no_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The bus is 10,000 above; where connections get every port, any will have to do."""
    (tmp_path / "range").write_text("32768 60999")
    monkeypatch.setattr(ports, "PORT_RANGE", tmp_path / "range")
    *chosen, last = fixed_ports(*BUS)
    assert chosen
    assert last == 0
    assert all(port < 22_768 or port > 60_999 for port in chosen)
