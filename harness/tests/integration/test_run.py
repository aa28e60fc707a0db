"""Runs that go well."""

from pathlib import Path

import pytest

from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.integration.conftest import Respmark


def test_a_run_measures_every_trial_and_prints_its_tables(respmark: Respmark) -> None:
    """All trials are ok, their files are there, the tables show them, and the exit code is 0."""
    finished = respmark("run", "tiny", "--rounds", "2")
    assert finished.code == 0, finished.errors
    assert [record["status"] for record in finished.records()] == ["ok"] * 4
    assert "double" in finished.output
    assert "batching" in finished.output
    assert finished.manifest()["status"] == "complete"


def test_evidence_equals_the_claim_command_by_command(respmark: Respmark) -> None:
    """The server's GETs, SETs, hits and misses are exactly those of the commands that the runner says it sent."""
    finished = respmark("run", "tiny")
    for record in finished.records():
        seen, expected = record["evidence"], record["evidence"]["expected"]
        assert {name: calls["calls"] for name, calls in seen["workload_calls"].items()} == expected["calls"]
        assert (seen["keyspace_hits"], seen["keyspace_misses"]) == (expected["hits"], expected["misses"])
        assert sum(expected["calls"].values()) == record["results"][0]["operations"]


def test_batching_is_seen_in_commands_per_read(respmark: Respmark) -> None:
    """Ten commands in one write reach the server in one read; the harness's own reads are not counted."""
    finished = respmark("run", "tiny", "--scenario", "batching", "--depth", "10")
    (record,) = finished.records()
    calls = sum(calls["calls"] for calls in record["evidence"]["workload_calls"].values())
    assert calls == 10 * record["evidence"]["reads_processed"]


def test_a_new_connection_for_each_command_is_counted_by_the_server(respmark: Respmark, specs: Path) -> None:
    """The server accepts as many connections as commands; the handshake's commands are counted apart."""
    suite = (specs / "suites" / "tiny.toml").read_text().partition("[[trials]]")[0]
    (specs / "suites" / "fresh.toml").write_text(suite + '[[trials]]\nscenario = "new-connection"\n')
    (record,) = respmark("run", "fresh").records()
    evidence = record["evidence"]
    assert evidence["connections_received"] == record["results"][0]["operations"]
    assert evidence["setup_calls"] == dict.fromkeys(["auth", "select"], evidence["connections_received"])


def test_processes_start_together_and_walk_their_own_parts(respmark: Respmark, specs: Path) -> None:
    """Two processes give two results, the second from the middle of the workload on."""
    suite = (specs / "suites" / "tiny.toml").read_text().partition("[[trials]]")[0]
    (specs / "suites" / "two.toml").write_text(suite + '[[trials]]\nscenario = "sync"\nshape = { processes = [2] }\n')
    (record,) = respmark("run", "two").records()
    assert record["status"] == "ok", record["reason"]
    assert [result["segments"][0]["first_command"] for result in record["results"]] == [0, 250]


def test_a_unix_socket_is_a_target_too(respmark: Respmark) -> None:
    """The same trials run through the unix socket of a server of ours."""
    finished = respmark("run", "tiny", "--target", "spawned-unix")
    assert finished.code == 0, finished.errors
    assert "unix socket" in finished.output


def test_a_server_that_is_already_there_is_measured_in_its_empty_database(respmark: Respmark, server: Server) -> None:
    """A URL with a database number works; the database of another number keeps its keys."""
    with Control(server.endpoint) as control:
        control.command("SET", "precious", "data")
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}/5")
        assert finished.code == 0, finished.errors
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
    for record in finished.records():
        evidence = record["evidence"]
        assert evidence["keyspace_hits"] == evidence["expected"]["hits"]
        assert evidence["keyspace_misses"] == evidence["expected"]["misses"]
    with Control(server.endpoint) as control:
        assert control.command("DBSIZE") == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_is_offered(respmark: Respmark, shell: str) -> None:
    """`--install-completion` names the shells."""
    assert shell in respmark("--install-completion", "--help").output
