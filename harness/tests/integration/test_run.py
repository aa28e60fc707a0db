"""Runs that go well."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest

from respmark.machine.guardian import Guardian
from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.builders.plan import SHIPPED
from tests.integration.conftest import SUITE, WORKLOAD, Respmark, url_of
from tests.integration.second_client import commands_seen, own_keys_left
from tests.required import REQUIRED
from tests.user_server import start_user_server

SCENARIOS = """
[[trials]]
scenario = "new-connection"

[[trials]]
scenario = "sync"
shape = { processes = [2] }

[[trials]]
scenario = "sync"
workloads = ["tiny", "small"]
block = "sizes"
"""


def rows(respmark: Respmark, out: Path) -> dict[str, dict[str, str]]:
    text = respmark("report", out, "--format", "csv").output
    return {row["scenario"]: row for row in csv.DictReader(io.StringIO(text))}


def test_a_run_measures_every_trial_and_reports_are_made_again_from_its_files(respmark: Respmark) -> None:
    """All trials are ok, the tables show them, and what the server counted is what the scenarios mean."""
    finished = respmark("run", "tiny", "--rounds", "2")
    assert finished.code == 0, finished.said
    assert [record["status"] for record in finished.records] == ["ok"] * 4
    assert [[one["connections"] for one in record["sockets"]] for record in finished.records] == [[1]] * 4
    assert finished.manifest["status"] == "complete"
    assert respmark("report", finished.out).output.strip() in finished.output
    found = rows(respmark, finished.out)
    assert {row["status"] for row in found.values()} == {"ok"}
    assert float(found["batching"]["commands_per_read"]) == pytest.approx(10, rel=0.01)
    assert float(found["sync"]["hit_ratio"]) == pytest.approx(0.8, abs=0.1)
    assert json.loads(respmark("report", finished.out, "--format", "json").output)


def test_every_kind_of_trial_is_backed_by_the_server(respmark: Respmark, specs: Path) -> None:
    """Connections for each command, two processes, two workloads in a block of their own."""
    small = WORKLOAD.replace('"tiny"', '"small"').replace("keys = 80", "keys = 40").replace("64", "96")
    (specs / "workloads" / "small.toml").write_text(small)
    suite = SUITE.partition("[[trials]]")[0].replace("slice_s = 0.05", "slice_s = 0.5")
    (specs / "suites" / "more.toml").write_text(suite + SCENARIOS)
    finished = respmark("run", "more", "--server", "spawned-unix")
    assert finished.code == 0, finished.said
    assert {record["cell_id"].removeprefix("double--"): record["workload"] for record in finished.records} == {
        "new-connection": "tiny",
        "sync--processes=2": "tiny",
        "sync--in=sizes": "tiny",
        "sync--workload=small--in=sizes": "small",
    }
    assert {record["status"] for record in finished.records} == {"ok"}
    assert "unix socket" in finished.output
    assert not any("sockets" in record for record in finished.records)
    fresh = rows(respmark, finished.out)["new-connection"]
    assert float(fresh["connections_received"]) > 0


def test_clients_behind_a_round_trip_wait_for_it(respmark: Respmark) -> None:
    """No reply comes earlier; the report says what the relay makes of it."""
    finished = respmark("run", "tiny", "--scenario", "sync", "--rtt", "0", "--rtt", "20ms", "--slice-s", "0.3")
    assert finished.code == 0, finished.said
    assert [record["sockets"][0]["connections"] for record in finished.records] == [1, 1]
    rows = list(csv.DictReader(io.StringIO(respmark("report", finished.out, "--format", "csv").output)))
    assert [row["rtt_ms"] for row in rows] == ["", "20"]
    assert float(rows[1]["p50_ms"]) >= 20
    (made,) = finished.manifest["round_trips"]
    assert made["asked_ms"] == 20
    assert made["cpu_s"] > 0
    assert "round trip 20 ms: PING took" in finished.output


def test_servers_take_turns(respmark: Respmark, server: Node) -> None:
    """One that is there beside one that is started, each with its own counters; no password is in any name."""
    finished = respmark("run", "tiny", "--scenario", "sync", "--server", "spawned", "--server", f"{url_of(server)}/5")
    assert finished.code == 0, finished.said
    assert [one["status"] for one in finished.records] == ["ok", "ok"]
    assert len({one["block"] for one in finished.records}) == 1
    assert [cell.get("server") for cell in finished.manifest["cells"]] == ["spawned", f"{url_of(server)}/5"]
    assert list(finished.manifest["servers"])[1:] == [f"{url_of(server)}/5"]
    assert not own_keys_left(server.endpoint)


def test_units_of_an_open_loop_are_due_at_its_rate(respmark: Respmark) -> None:
    """Every unit is accounted for, whether the client keeps the rate or not."""
    options = ("--scenario", "sync", "--slice-s", "0.1", "--laps", "2", "--rate", "400", "--rate", "2000000")
    finished = respmark("run", "tiny", *options)
    assert finished.code == 0, finished.said
    kept, missed = (record["slices"] for record in finished.records)
    assert {one["due"] for one in kept} == {40}
    assert all(one["units"] + one["unstarted"] == one["due"] for one in (*kept, *missed))
    assert all(one["is_saturated"] and one["unstarted"] for one in missed)


def test_a_server_that_is_already_there_is_measured_and_left_as_it_was(respmark: Respmark, server: Node) -> None:
    """In an empty database of it, with no other commands than docs/measuring.md lists; others' keys stay."""
    with Control(server.endpoint) as control:
        control.command("SET", "precious", "data")
        finished = respmark("run", "tiny", "--server", f"{url_of(server)}/5")
        assert finished.code == 0, finished.said
        assert control.command("GET", "precious") == b"data"
        selected = server.endpoint.model_copy(update={"database": 5})
        assert own_keys_left(selected) == 0
    seen = {name.partition("|")[0] for name in commands_seen(server.endpoint)}
    used = {"info", "dbsize", "exists", "get", "set", "unlink"}
    assert seen - {"auth", "hello", "select", "client", "ping", "keys"} == used


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("java_starts_soon")
def test_every_library_that_is_here_is_measured(respmark: Respmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in every scenario, which conformance tries: what is not measured is not on this machine, and not required."""
    monkeypatch.setenv("RESPMARK_SPECS", str(SHIPPED.folder))
    finished = respmark("run", "smoke", "--scenario", "batching")
    missing = {one["client"]["runner"] for one in finished.records if one["status"] == "missing"}
    assert not missing & {name.partition("@")[0] for name in REQUIRED}
    failed = [(one["trial_id"], one["reason"]) for one in finished.records if one["status"] == "failed"]
    assert failed == []
    assert finished.code == 0, finished.said


def test_a_cluster_of_one_shard_is_measured(respmark: Respmark) -> None:
    """All slots are its own; the run's keys share one, and are gone afterwards."""
    with closing(Guardian()) as guardian:
        server = start_user_server(guardian, None, "--cluster-enabled", "yes")
        try:
            with Control(server.endpoint) as control:
                control.command("CLUSTER", "ADDSLOTS", *map(str, range(16384)))
                while b"cluster_state:ok" not in control.command("CLUSTER", "INFO"):
                    pass
            finished = respmark("run", "tiny", "--server", url_of(server))
            assert finished.code == 0, finished.said
            assert {record["status"] for record in finished.records} == {"ok"}
            assert not own_keys_left(server.endpoint)
        finally:
            server.close()


@pytest.mark.parametrize("options", [("queue-block",), ("queue-poll", "--rate", "50")], ids=["blocking", "polling"])
def test_elements_that_the_run_pushes_reach_the_client(respmark: Respmark, options: tuple[str, ...]) -> None:
    """Each slice says how many, and how long they waited; the producer's commands are nobody's offence."""
    finished = respmark("run", "tiny", "--scenario", "sync", "--slice-s", "0.5", "--workload", *options)
    assert finished.code == 0, finished.said
    (record,) = finished.records
    assert (record["status"], record.get("reason")) == ("ok", None)
    assert all(0 < one["element_wait_ns"] / one["elements"] < one["elapsed_ns"] for one in record["slices"])
    (row,) = rows(respmark, finished.out).values()
    assert float(row["element_ms"]) > 0
