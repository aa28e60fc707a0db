"""Runs that go well."""

from pathlib import Path

import pytest

from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.integration.conftest import Respmark


def test_a_run_measures_every_trial_and_prints_its_tables(respmark: Respmark) -> None:
    """All trials are ok, their files are there, the tables show them, and the exit code is 0."""
    finished = respmark("run", "tiny", "--rounds", "2")
    assert finished.code == 0, finished.output + finished.errors
    assert [record["status"] for record in finished.records()] == ["ok"] * 4
    assert "double" in finished.output
    assert "batching" in finished.output
    assert finished.manifest()["status"] == "complete"


def test_evidence_equals_the_claim_command_by_command(respmark: Respmark) -> None:
    """The server's GETs, SETs, hits and misses are exactly those of the commands that a slice says it sent."""
    finished = respmark("run", "tiny")
    slices = [one for record in finished.records() for one in record["slices"]]
    assert len(slices) == 4
    for one in slices:
        seen, expected, (answer,) = one["evidence"], one["evidence"]["expected"], one["answers"]
        assert one["mismatch"] is None
        assert {name: calls["calls"] for name, calls in seen["workload_calls"].items()} == expected["calls"]
        assert (seen["keyspace_hits"], seen["keyspace_misses"]) == (expected["hits"], expected["misses"])
        claimed = answer["lead_in"]["operations"] + answer["measured"]["operations"]
        assert sum(expected["calls"].values()) == claimed == answer["segments"][0]["operations"]


def test_every_client_of_a_lap_begins_at_the_same_command(respmark: Respmark) -> None:
    """And at another in the next lap; who begins is drawn anew."""
    clients = ("--client", "double[mode=honest]", "--client", "double[mode=also-honest]")
    finished = respmark("run", "tiny", *clients, "--scenario", "sync", "--laps", "6")
    assert finished.code == 0, finished.output + finished.errors
    both = [record["slices"] for record in finished.records()]
    begun = [[one["answers"][0]["segments"][0]["first_command"] for one in slices] for slices in both]
    assert begun[0] == begun[1]
    assert len(set(begun[0])) == 6
    assert all({one["turn"], other["turn"]} == {1, 2} for one, other in zip(*both, strict=True))
    assert len({one["turn"] for one in both[0]}) == 2


def test_what_warming_up_took_stands_in_the_record(respmark: Respmark) -> None:
    """Slices until nothing changes any more, or the limit; its work is in no slice that counts."""
    (record,) = respmark("run", "tiny", "--scenario", "sync").records()
    warm_up = record["warm_up"]
    assert warm_up["together_s"] == 0  # the limit leaves only the time to judge it alone
    assert warm_up["work_s"] >= 0.2
    sampled = sum(count for _, count in record["results"][0]["latency"]["histogram"])
    assert sampled == sum(one["answers"][0]["measured"]["units"] for one in record["slices"])


def test_the_kernels_count_of_a_clients_cpu_is_kept(respmark: Respmark) -> None:
    """Beside the runner's own: at least what it says it used."""
    (record,) = respmark("run", "tiny", "--scenario", "sync").records()
    for one in record["slices"]:
        started, ended = one["answers"][0]["started"], one["answers"][0]["ended"]
        own_ns = sum(ended[name] - started[name] for name in ("cpu_user_ns", "cpu_system_ns"))
        assert one["cpu_by_kernel_ns"] >= own_ns


def test_batching_is_seen_in_commands_per_read(respmark: Respmark) -> None:
    """Ten commands in one write reach the server in one read; the harness's own reads are not counted."""
    finished = respmark("run", "tiny", "--scenario", "batching", "--depth", "10")
    (record,) = finished.records()
    for one in record["slices"]:
        calls = sum(calls["calls"] for calls in one["evidence"]["workload_calls"].values())
        assert calls == 10 * one["evidence"]["reads_processed"]


def test_a_new_connection_for_each_command_is_counted_by_the_server(respmark: Respmark, specs: Path) -> None:
    """The server accepts as many connections as commands; the handshake's commands are counted apart."""
    suite = (specs / "suites" / "tiny.toml").read_text().partition("[[trials]]")[0]
    (specs / "suites" / "fresh.toml").write_text(suite + '[[trials]]\nscenario = "new-connection"\n')
    (record,) = respmark("run", "fresh").records()
    for one in record["slices"]:
        evidence, claimed = one["evidence"], one["answers"][0]["segments"][0]["operations"]
        assert evidence["connections_received"] == claimed
        assert evidence["setup_calls"] == dict.fromkeys(["auth", "select"], claimed)


def test_processes_work_together_and_walk_their_own_parts(respmark: Respmark, specs: Path) -> None:
    """Two processes give two results, and two answers a slice, the second from half the workload further on."""
    suite = (specs / "suites" / "tiny.toml").read_text().partition("[[trials]]")[0]
    # On a busy machine one may begin tens of milliseconds after the other.
    suite = suite.replace("slice_s = 0.05", "slice_s = 1.0")
    (specs / "suites" / "two.toml").write_text(suite + '[[trials]]\nscenario = "sync"\nshape = { processes = [2] }\n')
    (record,) = respmark("run", "two").records()
    assert record["status"] == "ok", record["reason"]
    assert len(record["results"]) == 2
    for one in record["slices"]:
        first, second = (answer["segments"][0]["first_command"] for answer in one["answers"])
        assert second == (first + 250) % 500


def test_a_unix_socket_is_a_target_too(respmark: Respmark) -> None:
    """The same trials run through the unix socket of a server of ours."""
    finished = respmark("run", "tiny", "--target", "spawned-unix")
    assert finished.code == 0, finished.output + finished.errors
    assert "unix socket" in finished.output


def test_a_server_that_is_already_there_is_measured_in_its_empty_database(respmark: Respmark, server: Server) -> None:
    """A URL with a database number works; the database of another number keeps its keys."""
    with Control(server.endpoint) as control:
        control.command("SET", "precious", "data")
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}/5")
        assert finished.code == 0, finished.output + finished.errors
        assert control.command("GET", "precious") == b"data"


def test_reports_are_made_again_from_files_alone(respmark: Respmark) -> None:
    """`report` prints the same tables as the run did, and every other form."""
    finished = respmark("run", "tiny")
    again = respmark("report", finished.out)
    assert again.output.strip() in finished.output
    for written, sign in {"csv": "scenario,client", "json": '"cells"', "markdown": "| --- |"}.items():
        assert sign in respmark("report", finished.out, "--format", written).output


def test_every_trial_begins_with_the_same_keys(respmark: Respmark, server: Server) -> None:
    """Every GET hits or misses as the SET space says; after a run on a server that it did not start, no key is left."""
    finished = respmark("run", "tiny", "--rounds", "3", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    for evidence in (one["evidence"] for record in finished.records() for one in record["slices"]):
        assert evidence["keyspace_hits"] == evidence["expected"]["hits"]
        assert evidence["keyspace_misses"] == evidence["expected"]["misses"]
    with Control(server.endpoint) as control:
        assert control.command("DBSIZE") == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_is_offered(respmark: Respmark, shell: str) -> None:
    """`--install-completion` names the shells."""
    assert shell in respmark("--install-completion", "--help").output
