"""The suite against bare loops: one run of it whole."""

import json
import subprocess
import sys
from pathlib import Path

from respmark.paths import HARNESS

LIAR = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"loaded": {"contract": 3, "versions": {}}} if "client" in asked else {"connected": {}}
    if "bare" in asked:
        moments = [asked["bare"]["first"] + 1, 0, 0], [asked["bare"]["first"] + asked["bare"]["ns"], 1, 0]
        said = {"bared": {"units": 1000, "started": moments[0], "ended": moments[1]}}
    print(json.dumps(said), flush=True)
"""


def test_a_runner_and_its_bare_loop_take_turns(tmp_path: Path) -> None:
    """Whole, with a real client and server; a loop that claims what the server did not see has no figures."""
    (tmp_path / "liar.py").write_text(LIAR)
    command = [
        *(sys.executable, "-m", "bench.fidelity", "--client", "redis-py", "--client", "redis-py[parser=python]"),
        *("--scenario", "batching", "--depth", "10", "--rounds", "2", "--laps", "3", "--slice-s", "0.03"),
        *("--warmup-limit-s", "0.2", "--no-pin", "--out", str(tmp_path / "out")),
        *("--bare", f"redis-py[parser=python]={sys.executable} {tmp_path / 'liar.py'}"),
    ]
    finished = subprocess.run(command, cwd=HARNESS, capture_output=True, text=True, check=False)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    found = json.loads((tmp_path / "out" / "fidelity.json").read_text())
    honest_row, liar = found["rows"]
    assert (honest_row["reason"], len(honest_row["laps"])) == (None, 6)
    assert all(lap["suite_cpu_ns"] > 0 and lap["other_cpu_ns"] > 0 for lap in honest_row["laps"])
    assert "the bare loop claims" in liar["reason"]
    assert "suite / bare loop" in finished.stdout
