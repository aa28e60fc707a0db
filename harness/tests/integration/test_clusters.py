"""Runs against clusters: one that they start, and a user's, of which every node has keys of others."""

import csv
import io
from collections.abc import Iterator

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ExitCode
from respmark.machine.guardian import Guardian
from respmark.servers.cluster import connected
from respmark.servers.control import Control
from respmark.servers.group import spawn_group
from tests.integration.conftest import Respmark, Start
from tests.user_server import SPAWNED

STRANGE = [f"user:{number}" for number in range(50)]


@pytest.fixture
def cluster(guardian: Guardian) -> Iterator[Endpoint]:
    made = spawn_group(SPAWNED.model_copy(update={"primaries": 3}), guardian)
    yield made.endpoint
    made.close()


@pytest.fixture
def every(cluster: Endpoint) -> Iterator[Control]:
    control = connected(cluster)
    yield control
    control.close()


def test_a_run_starts_a_cluster_and_its_evidence_is_that_of_every_node(respmark: Respmark) -> None:
    """Single commands, batches and transactions, each on keys that are where they need them."""
    scenarios = (word for name in ("sync", "batching", "transaction") for word in ("--scenario", name))
    finished = respmark("run", "tiny", *scenarios, "--form", "batched", "--server", "spawned[primaries=3]")
    assert finished.code == ExitCode.OK, finished.said
    assert [(record["status"], record["slices"][0]["redirects"]) for record in finished.records] == [("ok", 0)] * 3
    (server,) = finished.manifest["servers"].values()
    assert server["address"].endswith("(a cluster: primaries 3, replicas 0)")


def test_clients_of_every_node_wait_for_a_round_trip(respmark: Respmark) -> None:
    """Before each node stands a relay, and clients find no other way; replicas have one, too."""
    server = "spawned[primaries=2,replicas=1]"
    finished = respmark("run", "tiny", "--scenario", "sync", "--rtt", "20ms", "--slice-s", "0.3", "--server", server)
    assert finished.code == ExitCode.OK, finished.said
    (row,) = csv.DictReader(io.StringIO(respmark("report", finished.out, "--format", "csv").output))
    assert float(row["p50_ms"]) >= 20
    (made,) = finished.manifest["round_trips"]
    assert (made["asked_ms"], made["relays"]) == (20, 4)
    assert "through the slowest of 4 relays, one for each node" in " ".join(finished.output.split())


def test_no_round_trip_is_made_to_a_users_cluster(respmark: Respmark, cluster: Endpoint) -> None:
    finished = respmark("run", "tiny", "--rtt", "1ms", "--server", url_of(cluster))
    assert finished.code == ExitCode.INVALID_REQUEST
    assert "leave it out, or measure a cluster that respmark starts" in finished.said


def test_a_run_starts_sentinels_and_clients_ask_them_for_the_primary(respmark: Respmark) -> None:
    """What sentinels send to the servers is no evidence against a slice."""
    scenarios = (word for name in ("sync", "batching", "new-connection") for word in ("--scenario", name))
    finished = respmark("run", "tiny", *scenarios, "--server", "spawned[sentinels=3]")
    assert finished.code == ExitCode.OK, finished.said
    assert [record["status"] for record in finished.records] == ["ok"] * 3
    (server,) = finished.manifest["servers"].values()
    assert server["address"].endswith("(sentinels 3, replicas 1)")


def test_a_run_moves_slots_and_its_evidence_holds(respmark: Respmark) -> None:
    """A client is sent on, as slots that it asks for move, and does what it is told."""
    moving = ("--workload", "few-keys-setslot", "--server", "spawned[primaries=3]")
    finished = respmark("run", "tiny", "--scenario", "sync", *moving)
    assert finished.code == ExitCode.OK, finished.said
    slices = [one for record in finished.records for one in record["slices"]]
    assert sum(one["moved_slots"] for one in slices) > 0
    assert sum(one["redirects"] for one in slices) > 0
    for one in slices:
        assert one.get("reason") is None
        assert one["asks"] == one["askings"]
        assert sum(one["node_reads"].values()) == one["commands"]


@pytest.mark.full
def test_a_run_moves_slots_from_one_moment_to_the_next(respmark: Respmark) -> None:
    """By CLUSTER MIGRATESLOTS, with which no client is asked to come back."""
    finished = respmark("run", "tiny", "--workload", "few-keys-migrateslots", "--server", "valkey@9.1[primaries=3]")
    assert finished.code == ExitCode.OK, finished.said
    slices = [one for record in finished.records for one in record["slices"]]
    assert sum(one["moved_slots"] for one in slices) > 0
    assert sum(one["redirects"] for one in slices) > 0
    for one in slices:
        assert (one.get("reason"), one["asks"]) == (None, 0)


def test_a_key_is_read_after_it_was_written_and_deleted_then(respmark: Respmark) -> None:
    """The node that was written to finds it in each of eighteen reads."""
    finished = respmark("run", "tiny", "--scenario", "sync", "--workload", "read-own-writes")
    assert finished.code == ExitCode.OK, finished.said
    for one in (one for record in finished.records for one in record["slices"]):
        assert one.get("reason") is None
        assert (one["stale_reads"], one["writes"]) == (0, -(-one["commands"] // 20))


def test_a_users_cluster_with_keys_is_refused(respmark: Respmark, cluster: Endpoint, every: Control) -> None:
    """Whichever node has them, and whichever node's address was given."""
    every.holding(b"precious").command("SET", "precious", "data")
    finished = respmark("run", "tiny", "--server", url_of(cluster))
    assert finished.code == ExitCode.SERVER_UNREACHABLE
    assert "holds 1 keys" in finished.said
    assert every.holding(b"precious").command("GET", "precious") == b"data"


def test_keys_of_others_stay_on_every_node_of_a_users_cluster(start: Start, cluster: Endpoint, every: Control) -> None:
    """They come in the middle of the run, which goes on to its end; what it wrote itself is gone then."""
    run = start("run", "tiny", "--rounds", "4", "--server", url_of(cluster)).wait()
    for key in STRANGE:
        every.holding(key.encode()).command("SET", key, "precious")
    finished = run.ended()
    assert finished.code in {0, 1}, finished.errors
    left = every.on_each("KEYS", "*")
    assert all(left)
    assert sorted(key.decode() for node in left for key in node) == sorted(STRANGE)
    assert not any(b"cmdstat_flushdb" in info for info in every.on_each("INFO", "commandstats"))
    assert "keys that this run did not write; they were left alone" in finished.said


def url_of(endpoint: Endpoint) -> str:
    password = endpoint.password.get_secret_value() if endpoint.password else ""
    return f"redis://:{password}@{endpoint.host}:{endpoint.port}"
