"""The bare loops do the same work as the runner: the server counts what they claim."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paths import BARE
from respmark_python.workload.file import read_workload
from runner import trial
from server import Server
from workloads import KEY, VALUE, preload, write_workload


@pytest.mark.parametrize(
    ("scenario", "shape", "options"),
    [
        ("sync", {}, {}),
        ("batching", {"depth": 7}, {"parser": "python"}),
        ("pipelining", {"depth": 7, "window": "burst"}, {"parser": "python-parser"}),
        ("pipelining", {"depth": 7, "window": "sliding"}, {"protocol": 2}),
    ],
)
def test_bare_loops_claim_what_the_server_counts(
    scenario: str,
    shape: dict[str, Any],
    options: dict[str, Any],
    server: Server,
    target: dict[str, Any],
    tmp_path: Path,
) -> None:
    """GETs and SETs at the server add up to the operations of the bare loop."""
    path = write_workload(tmp_path / "get-set.workload", [("GET", [KEY]), ("SET", [KEY, VALUE])])
    preload(server.control, read_workload(path))
    client = {"library": "redis-py", "options": options}
    request = trial(scenario, shape, target=target, client=client, workload={"path": str(path)})
    command, pipe = [sys.executable, str(BARE / "redis_py.py")], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as bare:
        assert bare.stdin
        assert bare.stdout
        bare.stdin.write(json.dumps(request) + "\n")
        bare.stdin.flush()
        assert json.loads(bare.stdout.readline()) == {"event": "ready"}
        server.control.config_resetstat()
        output, _ = bare.communicate("go\n", timeout=30)
    result, calls = json.loads(output), server.calls()
    assert set(result) == {"operations", "elapsed_ns", "cpu_ns"}
    assert result["operations"] == calls["get"] + calls["set"]
    assert result["elapsed_ns"] >= 50_000_000
