"""The bare loops do the same work as the runner: the server counts what they claim."""

import subprocess
import sys
from pathlib import Path

import pytest

from paths import BARE
from respmark_python.workload.file import read_workload
from server import Server
from workloads import KEY, VALUE, expected_calls, preload, write_workload


@pytest.mark.parametrize(
    "asked",
    [
        "--scenario sync --depth 1",
        "--scenario batching --depth 7 --parser python",
        "--scenario pipelining --depth 7 --window burst --parser python-parser",
        "--scenario pipelining --depth 7 --window sliding --protocol 2",
    ],
)
def test_bare_loops_claim_what_the_server_counts(asked: str, server: Server, tmp_path: Path) -> None:
    """Each line is answered with what the server counted, from the command on that the line names."""
    path = write_workload(tmp_path / "get-set.workload", [("GET", [KEY]), ("SET", [KEY, VALUE])])
    workload = read_workload(path)
    preload(server.control, workload)
    place = ["--host", "127.0.0.1", "--port", str(server.port), "--workload", str(path)]
    command, pipe = [sys.executable, str(BARE / "redis_py.py"), *place, *asked.split()], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as bare:
        assert bare.stdin
        assert bare.stdout
        assert bare.stdout.readline() == "ready\n"
        for first in (0, 5, 15):
            server.control.config_resetstat()
            bare.stdin.write(f"0.02 {first}\n")
            bare.stdin.flush()
            operations, elapsed_ns, cpu_ns = map(int, bare.stdout.readline().split())
            calls = server.calls()
            expected = expected_calls(workload, [{"first_command": first, "operations": operations}])
            assert {name: calls.get(name, 0) for name in ("get", "set")} == {"get": 0, "set": 0} | expected
            assert elapsed_ns >= 20_000_000
            assert cpu_ns > 0
        bare.stdin.close()
        assert bare.wait(30) == 0
