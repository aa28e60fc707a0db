"""Callers of the double, while its server fails."""

import csv
import io
import json
import signal
from pathlib import Path

import pytest

from respmark.servers.node import Node
from tests.integration.conftest import Respmark, Start, url_of, wait_until_gone
from tests.integration.run_files import records_of
from tests.integration.second_client import own_keys_left
from tests.processes import started_by

FAULTS = ("run", "faults", "--client", "double", "--rounds", "1")
PATIENT = "spawned[primaries=3,replicas=1,cluster-node-timeout=60000]"
"""A cluster in which nobody is replaced for a minute."""


@pytest.mark.timeout(120)
def test_what_callers_saw_is_shown_and_kept(respmark: Respmark) -> None:
    """A server that stands still is waited for; nothing is lost or wrong. What redis-py repeats may be doubled."""
    words = ("--fault", "pause", "--fault", "reset", "--fault-s", "1")
    finished = respmark(*FAULTS, *words)
    assert finished.code == 0, finished.said
    assert "pause: the server stands still (SIGSTOP), and goes on, for 1 s" in finished.said
    by_fault = {one["shape"]["fault"]: one for one in finished.records}
    pause, reset = by_fault["pause"], by_fault["reset"]
    assert pause["figures"]["longest_wait"]["s"] >= 0.9
    assert [step["what"] for step in pause["steps"]][1] == "mended"
    assert reset["connections"]["opened"] >= 1
    for one in (pause, reset):
        writes = one["figures"]["writes"]
        assert writes["acknowledged"] > 0
        assert writes.get("lost", 0) == one["figures"].get("wrong", 0) == 0
    rows = list(csv.DictReader(io.StringIO(respmark("report", finished.out, "--format", "csv").output)))
    assert {(row["fault"], row["status"], row["lost"]) for row in rows} == {("pause", "ok", "0"), ("reset", "ok", "0")}
    (run,) = json.loads(respmark("report", finished.out, "--format", "json").output)["runs"]
    assert {cell["measured"]["fault"] for cell in run["cells"]} == {"pause", "reset"}


@pytest.mark.timeout(180)
def test_a_primary_is_killed_and_its_replicas_promotion_stands_apart(respmark: Respmark) -> None:
    """Half of the callers have their keys on it: the others are looked at by themselves."""
    words = ("--fault", "failover-kill", "--fault", "reset", "--server", "spawned[primaries=3,replicas=1]")
    finished = respmark(*FAULTS, *words)
    assert finished.code == 0, finished.said
    assert "failover-kill: a primary is killed, and its replica takes its place" in finished.said
    killed, refused = sorted(finished.records, key=lambda one: one["status"])
    assert (refused["status"], "tell clients their own" in refused["reason"]) == ("unsupported", True)
    assert killed["affected"] == 5
    assert killed["lasts_s"] >= 1.9, "nodes wait for 2 s before they promote another"
    begun, promoted = (step["at_ns"] for step in killed["steps"])
    assert killed["lasts_s"] == (promoted - begun) / 1e9
    figures = killed["figures"]
    assert figures["outage"]["s"] >= 1.9, "nobody had a reply of it meanwhile"
    assert figures["recovered"]["s"] >= figures["last_success"]["s"]
    assert figures["elsewhere"]["longest_wait"]["s"] >= 0
    assert figures["writes"].get("lost", 0) == figures["writes"]["lost_by_server"]
    rows = list(csv.DictReader(io.StringIO(respmark("report", finished.out, "--format", "csv").output)))
    (row,) = (one for one in rows if one["fault"] == "failover-kill")
    assert float(row["promoted_s"]) == pytest.approx(killed["lasts_s"])
    assert float(row["outage_s"]) == pytest.approx(figures["outage"]["s"])


@pytest.mark.timeout(180)
def test_sentinels_promote_a_replica_and_clients_find_it(respmark: Respmark) -> None:
    """All callers have their keys on the primary; what it had not sent on to its replica is the server's share."""
    finished = respmark(*FAULTS, "--fault", "failover-kill", "--server", "spawned[sentinels=3]")
    assert finished.code == 0, finished.said
    (killed,) = finished.records
    figures = killed["figures"]
    assert (killed["affected"], figures.get("elsewhere")) == (10, None)
    assert killed["lasts_s"] >= 1.9, "a sentinel waits for 2 s before it takes a primary for down"
    assert figures["last_success"].get("is_over", True), "every caller has found the replica"
    assert figures["writes"].get("lost", 0) == figures["writes"]["lost_by_server"]


@pytest.mark.timeout(120)
def test_on_a_server_that_was_there_nothing_is_left(respmark: Respmark, server: Node) -> None:
    """What was held back arrives before the keys are removed, or never."""
    finished = respmark(*FAULTS, "--fault", "silence", "--fault-s", "1", "--server", url_of(server))
    assert finished.code == 0, finished.said
    assert own_keys_left(server.endpoint) == 0
    refused = respmark(*FAULTS, "--fault", "restart", "--server", url_of(server))
    assert refused.code == 2
    assert "needs a server that respmark starts" in refused.errors


@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("fault", [("pause",), ("failover-stop", "--server", PATIENT)])
def test_a_run_that_is_ended_while_a_server_stands_still_leaves_nothing(
    start: Start, number: signal.Signals, fault: tuple[str, ...]
) -> None:
    run = start(*FAULTS, "--fault-s", "60", "--fault", *fault)
    run.wait(lambda: any(map(stands_still, started_by(run.process.pid))))
    children = started_by(run.process.pid)
    finished = run.ended(number)
    assert finished.code == (-signal.SIGKILL if number is signal.SIGKILL else 130), finished.errors
    wait_until_gone(children)
    assert records_of(run.out) == []


def stands_still(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:  # it may end while we look
        return False
