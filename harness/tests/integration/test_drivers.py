"""A reference driver beside a client: slices of its own, held to the server's counters."""

import shutil
from pathlib import Path

import pytest

from respmark.servers.control import Control
from respmark.servers.node import Node
from tests.integration.conftest import WORKLOAD, Respmark, url_of

BENCHMARK = shutil.which("redis-benchmark")
pytestmark = pytest.mark.skipif(BENCHMARK is None, reason="redis-benchmark is not on PATH")
BOTH = ("--client", "redis-benchmark", "--client", "double", "--laps", "1", "--workload", "sets")


@pytest.fixture(autouse=True)
def workload(specs: Path) -> None:
    """Have a workload that they can send."""
    sets = WORKLOAD.partition('[[mix]]\nname = "SET"')[2].replace("share = 0.2", "share = 1")
    head = WORKLOAD.partition("[[mix]]")[0].replace("80\n", "80\nkey_digits = 12\n", 1).replace('"tiny"', '"set"')
    (specs / "workloads" / "sets.toml").write_text(f'{head}[[mix]]\nname = "SET"{sets}')


def test_a_driver_takes_its_turns(respmark: Respmark) -> None:
    """Its calls are those that the server counted; it is no baseline, has no latencies, and is in no ranking."""
    finished = respmark("run", "tiny", "--scenario", "batching", *BOTH)
    assert finished.code == 0, finished.said
    by_client = {record["client"]["name"]: record for record in finished.records}
    driver = by_client["redis-benchmark"]
    assert driver["status"] == "ok", driver["reason"]
    assert not {"verified_replies", "latency", "decodes_to"} & driver.keys()  # what is empty is left out
    (one,) = driver["slices"]
    assert one["elapsed_ns"] >= 10**9
    assert one["operations"] % 10 == 0
    assert by_client["double"]["slices"][0]["elapsed_ns"] < 10**9
    assert "RPS ratio" in finished.output
    csv = respmark("report", finished.out, "--format", "csv").output
    assert "redis-benchmark,redis-benchmark" in csv
    assert "reference (C)" in csv


def test_a_workload_that_it_cannot_make_is_unsupported(respmark: Respmark) -> None:
    """Two commands, and keys of another width; the others are measured."""
    finished = respmark("run", "tiny", "--scenario", "sync", *BOTH[:-2])
    statuses = {record["client"]["name"]: record["status"] for record in finished.records}
    assert statuses == {"redis-benchmark": "unsupported", "double": "ok"}
    assert "redis-benchmark can only repeat one command, with 12-digit keys" in finished.said


def test_a_users_password_is_not_shown_to_the_machine(
    respmark: Respmark, server: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be an argument; without one, the driver leaves no key behind."""
    words = ("run", "tiny", "--scenario", "sync", *BOTH, "--server", url_of(server))
    with Control(server.endpoint) as control:
        finished = respmark(*words)
        assert finished.code == 0, finished.said
        assert {record["status"] for record in finished.records} == {"ok"}, finished.said
        assert control.command("DBSIZE") == 0
        control.command("CONFIG", "SET", "requirepass", "hush-hush/7")
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "hush-hush/7")
    refused = respmark(*words, out=finished.out.with_name("refused"))
    statuses = {record["client"]["name"]: record["status"] for record in refused.records}
    assert statuses == {"redis-benchmark": "unsupported", "double": "ok"}
    assert "which every user of this machine could read" in refused.said
