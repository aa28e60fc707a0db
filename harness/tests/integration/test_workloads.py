"""Runs of several workloads, in blocks of their own and in one that compares them."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.target.spawn import Server
from tests.integration.conftest import WORKLOAD, Respmark
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left

TRIALS = """
[[trials]]
scenario = "sync"
workloads = ["tiny", "small"]

[[trials]]
scenario = "sync"
workloads = ["tiny", "small"]
block = "sizes"
"""


@pytest.fixture(autouse=True)
def suite(specs: Path) -> str:
    """Return the name of a suite with two workloads: `tiny`, and one of half as many keys and larger values."""
    small = WORKLOAD.replace('"tiny"', '"small"').replace("keys = 80", "keys = 40").replace("64", "96")
    (specs / "workloads" / "small.toml").write_text(small)
    tiny = (specs / "suites" / "tiny.toml").read_text()
    (specs / "suites" / "two.toml").write_text(tiny.replace('"tiny"\nsummary', '"two"\nsummary') + TRIALS)
    return "two"


def test_every_trial_is_measured_with_its_own_workload(respmark: Respmark, suite: str) -> None:
    """Claims are held against its own commands, hits and bytes; the manifest has both workloads."""
    finished = respmark("run", suite)
    assert finished.code == 0, finished.output + finished.errors
    records = {record["cell_id"].removeprefix("double--"): record for record in finished.records()}
    assert {cell: record["workload"] for cell, record in records.items()} == {
        "sync": "tiny",
        "batching--depth=10": "tiny",
        "sync--workload=small": "small",
        "sync--in=sizes": "tiny",
        "sync--workload=small--in=sizes": "small",
    }
    assert {record["status"] for record in records.values()} == {"ok"}
    assert {one["mismatch"] for record in records.values() for one in record["slices"]} == {None}
    manifest = finished.manifest()
    assert (manifest["workload"]["name"], list(manifest["other_workloads"])) == ("tiny", ["small"])
    assert manifest["other_workloads"]["small"]["sha256"] != manifest["workload_sha256"]
    assert "workload tiny, small" in finished.output
    details = respmark("report", finished.out, "--details")
    assert "RPS ratio" in details.output, details.errors
    assert "to double, workload tiny" in " ".join(details.output.split())


def test_a_server_of_others_keeps_their_keys_and_none_of_any_workload(
    respmark: Respmark, suite: str, server: Server
) -> None:
    """No other commands are sent than with one workload."""
    finished = respmark("run", suite, "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    assert finished.code == 0, finished.output + finished.errors
    seen = {name.partition("|")[0] for name in commands_seen(server.endpoint)}
    assert seen - {"auth", "hello", "select", "client", "ping"} == {"info", "dbsize", "get", "set", "unlink"}
    assert own_keys_left(server.endpoint) == 0
    assert "that this run did not write" not in (finished.out / "manifest.json").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_keys_of_any_workload(
    start: "Callable[..., subprocess.Popen[str]]", suite: str, server: Server, tmp_path: Path, number: signal.Signals
) -> None:
    """In the middle of its workloads' turns, beside somebody who writes all the time."""
    out = tmp_path / "out"
    target = f"redis://127.0.0.1:{server.endpoint.port}"
    process = start("run", suite, "--rounds", "500", "--slice-s", "0.02", "--target", target, "--out", out)
    while not list((out / "trials").glob("*workload=small*.json.gz")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    with SecondClient(server.endpoint) as client:
        process.send_signal(number)
        _, errors = process.communicate(timeout=100)
    assert process.returncode == (-signal.SIGKILL if number is signal.SIGKILL else 130), errors
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
