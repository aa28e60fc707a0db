"""Health of real servers that are made ill: each ailment is found, and what is advised ends it where it can."""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from respmark.errors import ServerError
from respmark.servers.control import Control
from respmark.servers.info import Info, info_text
from respmark.servers.node import Node
from respmark.servers.ports import free_port
from respmark.triage.findings import Finding
from respmark.triage.options import WatchOptions
from respmark.triage.watch import watch
from tests.triage.builders import make_judge
from tests.triage.conftest import Start


def findings(server: Node) -> dict[str, Finding]:
    """Return what is found on the server itself, by rule."""
    (node, *_) = watch(server.endpoint, WatchOptions(0.5)).nodes
    return {one.id: one for one in make_judge().findings(node)}


def wait(reached: Callable[[], bool]) -> None:
    while not reached():
        pass


def field(control: Control, name: str) -> str | None:
    return Info.read(info_text(control, "all")).fields.get(name)


def end(server: Node) -> None:
    os.kill(server.pid or 0, signal.SIGKILL)
    server.close()


def test_a_replica_whose_primary_has_gone(start: Start) -> None:
    """Its link is down."""
    primary = start()
    replica = start("--replicaof", "127.0.0.1", str(primary.endpoint.port))
    with Control(replica.endpoint) as control:
        wait(lambda: field(control, "master_link_status") == "up")
        assert findings(replica) == {}
        end(primary)
        wait(lambda: field(control, "master_link_status") == "down")
    assert list(findings(replica)) == ["link-down"]


def test_a_snapshot_that_cannot_be_written(start: Start, tmp_path: Path) -> None:
    """Its folder is gone."""
    folder = tmp_path / "gone"
    folder.mkdir()
    server = start("--dir", str(folder))
    folder.rmdir()
    with Control(server.endpoint) as control:
        control.command("SET", "key", "value")
        control.command("BGSAVE")
        wait(lambda: field(control, "rdb_last_bgsave_status") == "err")
    assert list(findings(server)) == ["snapshot-failed"]


def test_memory_that_is_nearly_full_has_room_afterwards(start: Start) -> None:
    """Nothing may be evicted, and nothing is refused yet; the CONFIG that is advised makes room."""
    server = start("--maxmemory", "8mb")
    with Control(server.endpoint) as control:
        number = 0
        while int(field(control, "used_memory") or 0) < 0.93 * 8 * 2**20:
            control.command("SET", f"key:{number}", bytes(10_000))
            number += 1
        found = findings(server)
        assert list(found) == ["memory-near-limit"]
        control.command(*found["memory-near-limit"].code[0].text.split())
        assert findings(server) == {}
        assert control.command("DBSIZE") == number


def test_monitor_that_somebody_left_on(start: Start) -> None:
    """Whose it is."""
    server = start()
    with Control(server.endpoint) as forgotten:
        forgotten.command("CLIENT", "SETNAME", "forgotten")
        forgotten.command("MONITOR")
        found = findings(server)
    assert list(found) == ["monitor-left-on"]
    assert [who.name for who in found["monitor-left-on"].clients] == ["forgotten"]


def test_clients_that_are_paused(start: Start) -> None:
    """Those that write, for a minute."""
    server = start()
    with Control(server.endpoint) as control:
        control.command("CLIENT", "PAUSE", "60000", "WRITE")
        if field(control, "paused_actions") is None:
            pytest.skip("this server does not say that clients are paused (Redis 7.4, Valkey 8)")
    assert list(findings(server)) == ["clients-paused"]


SLOTS = ((0, 5_460), (5_461, 10_922), (10_923, 16_383))


@pytest.fixture
def cluster(start: Start) -> list[Node]:
    """Start three nodes that share the slots, and wait until they agree."""
    buses = [free_port() for _ in SLOTS]
    made = [
        start("--cluster-enabled", "yes", "--cluster-port", str(bus), "--cluster-node-timeout", "500") for bus in buses
    ]
    with ExitStack() as opened:
        controls = [opened.enter_context(Control(one.endpoint)) for one in made]
        for control, (first, last) in zip(controls, SLOTS, strict=True):
            control.command("CLUSTER", "ADDSLOTS", *range(first, last + 1))
        for server, bus in zip(made[1:], buses[1:], strict=True):
            controls[0].command("CLUSTER", "MEET", "127.0.0.1", server.endpoint.port or 0, bus)
        for control in controls:
            wait(lambda one=control: b"cluster_state:ok" in said(one, "INFO"))  # type: ignore[misc]
    return made


def said(control: Control, what: str) -> bytes:
    answer: bytes = control.command("CLUSTER", what)
    return answer


def test_a_cluster_that_has_lost_a_node(cluster: list[Node]) -> None:
    """Its slots have failed, and the others say so; they are watched all the same."""
    asked, _, gone = cluster
    end(gone)
    with Control(asked.endpoint) as control:
        wait(lambda: b"master,fail " in said(control, "NODES"))
        wait(lambda: b"cluster_slots_fail:5461" in said(control, "INFO"))
    snapshot = watch(asked.endpoint, WatchOptions(0.5))
    assert {node.address for node in snapshot.nodes} == {f"127.0.0.1:{one.endpoint.port}" for one in cluster[:2]}
    found = {one.id: one for one in make_judge().findings(snapshot.nodes[0])}
    assert set(found) == {"cluster-down", "node-failed"}
    assert found["node-failed"].seen[0].evidence == f"127.0.0.1:{gone.endpoint.port} had 5,461 slots"


def test_a_server_that_refuses_connections(start: Start) -> None:
    """During the watch, by its own count."""
    server = start("--maxclients", "3")
    refused = 0

    def refuse(_: float) -> None:
        nonlocal refused
        try:
            Control(server.endpoint).open().close()
        except ServerError:
            refused += 1

    with Control(server.endpoint), Control(server.endpoint):
        (node,) = watch(server.endpoint, WatchOptions(0.5), sleep=refuse).nodes
    assert refused > 0
    found: list[Any] = [one.id for one in make_judge().findings(node)]
    assert "refused-connections" in found
