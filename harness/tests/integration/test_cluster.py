"""A server in cluster mode with a single shard, as managed services give it by default."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server
from tests.record_files import records_of
from tests.user_server import start_user_server

LIMIT_S = 30.0
SUITE = """
name = "in-one-slot"
summary = "commands of several keys, in transactions and alone"
workload = "quick"
rounds = 1
laps = 2
slice_s = 0.05
lead_in_s = 0.02
warmup_limit_s = 0
clients = ["redis-py[]"]

[[trials]]
scenario = "transaction"
shape = { depth = [10], form = ["batched"] }

[[trials]]
scenario = "batching"
shape = { depth = [10] }
workloads = ["mget", "mset"]
"""


@pytest.fixture
def clustered() -> Iterator[Server]:
    """Return a server in cluster mode that has all slots."""
    guardian = Guardian()
    server = start_user_server(guardian, None, "--cluster-enabled", "yes")
    try:
        with Control(server.endpoint) as control:
            control.command("CLUSTER", "ADDSLOTS", *range(16_384))
            deadline = time.monotonic() + LIMIT_S
            while b"cluster_state:ok" not in control.command("CLUSTER", "INFO"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield server
    finally:
        server.stop()
        guardian.close()


@pytest.mark.timeout(120)
def test_one_shard_serves_commands_of_several_keys(clustered: Server, tmp_path: Path) -> None:
    """The keys of a unit are in one slot, and all of them are gone at the end."""
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE)
    url = f"redis://127.0.0.1:{clustered.endpoint.port}"
    command = [sys.executable, "-m", "respmark", "run", str(suite), "--server", url, "--out", str(tmp_path / "out")]
    environment = {name: value for name, value in os.environ.items() if name != "RESPMARK_SPECS"}
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert [one["status"] for one in records_of(tmp_path / "out")] == ["ok"] * 3
    with Control(clustered.endpoint) as control:
        assert control.command("DBSIZE") == 0
