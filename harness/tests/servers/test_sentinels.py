"""A primary and its replicas that a run starts, and sentinels, which make a replica the primary."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from respmark.errors import ServerError
from respmark.machine.guardian import Guardian
from respmark.servers.cluster import connected
from respmark.servers.control import Control
from respmark.servers.replicated import Replicated, address_of_primary
from respmark.servers.sentinels import WatchedNodes, spawn_watched
from respmark.servers.server import Server
from respmark.specs.server import SpawnedServer

SPEC = SpawnedServer(name="spawned", summary="", servers=("valkey-server", "redis-server"), replicas=1, sentinels=3)


@pytest.fixture
def watched(guardian: Guardian) -> Iterator[WatchedNodes]:
    made = spawn_watched(SPEC, guardian)
    pids = [pid for one in (*made.members, *made.sentinels) for pid in one.pids]
    folders = [one.folder for one in (*made.members, *made.sentinels)]
    yield made
    made.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not any(folder.exists() for folder in folders)


def is_whole(watched: WatchedNodes) -> bool:
    """Return whether the first member is the primary, and the other one its replica."""
    with closing(connected(watched.endpoint)) as control:
        assert isinstance(control, Replicated)
        places = [(one.endpoint.host, one.endpoint.port) for one in control.every]
        assert (len(control.nodes), len(control.replicas)) == (1, 1)
        return places == [(one.endpoint.host, one.endpoint.port) for one in watched.members]


def test_a_watched_primary_is_started_as_one_server_and_started_again_where_it_was(watched: WatchedNodes) -> None:
    """One password, whatever has become of a node; clients are told the sentinels."""
    server = Server(watched, allow_flush=True)
    with closing(server):
        assert is_whole(watched)
        assert (server.kind, server.is_cluster, len(watched.pids), len(server.known_run_ids)) == (
            "sentinel",
            False,
            2,
            2,
        )
        assert server.for_runners.sentinels == tuple(
            (one.endpoint.host, one.endpoint.port) for one in watched.sentinels
        )
        server.control.command("SET", "key", "x")
        assert server.control.command("WAIT", 1, 0) == 1
        assert server.control.replicas[0].command("GET", "key") == b"x"
        watched.members[0].stop()
        server.reconnect()
        assert is_whole(watched)
        assert server.control.on_each("DBSIZE") == [0]


def test_sentinels_make_the_replica_the_primary_and_tell_so(watched: WatchedNodes) -> None:
    """Which takes commands that the run takes away elsewhere; it is seen where the harness connects, too."""
    _, second = watched.members
    with Control(watched.sentinels[0].endpoint) as sentinel:
        sentinel.command("SENTINEL", "FAILOVER", "respmark")
        while address_of_primary(sentinel) != (second.endpoint.host, second.endpoint.port):
            pass
    with closing(connected(watched.endpoint)) as control:
        assert control.endpoint.port == second.endpoint.port
        assert control.command("SET", "key", "x") == b"OK"


def test_a_sentinel_is_no_server_to_measure(watched: WatchedNodes) -> None:
    """Whoever names one is told what to name."""
    with pytest.raises(ServerError, match=r"is a sentinel; .*name the primary that they watch"):
        connected(watched.sentinels[0].endpoint)
