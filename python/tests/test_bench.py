"""The program that measures parsing alone."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"


def test_each_parser_reads_each_reply(tmp_path: Path) -> None:
    """Once in one process; it leaves what the harness reads."""
    command = [sys.executable, str(BENCH), "--out", str(tmp_path), "--forks", "1", "--filter", "decode.GET.10 bytes.*"]
    subprocess.run(command, check=True, capture_output=True)
    written = json.loads((tmp_path / "python.json").read_text())
    assert {one["subject"] for one in written["benchmarks"]} == {"redis-py", "redis-py[parser=python]"}
    assert all(len(one["forks"][0]) == 3 and min(one["forks"][0]) > 0 for one in written["benchmarks"])
    assert written["versions"].keys() == {"redis-py", "hiredis"}
