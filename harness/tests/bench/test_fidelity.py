"""The suite against bare loops: what intervals show, and one run of it whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.fidelity import MORE, Verdict
from respmark.paths import HARNESS
from respmark.statistics.compare import Ratio

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


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.98, 1.02, "the same within 3%"),
        (0.97, 1.03, "the same within 3%"),
        (0.90, 0.96, "differs by more than 3%"),
        (1.04, 1.20, "differs by more than 3%"),
        (0.90, 0.97, MORE),
        (1.03, 1.10, MORE),
        (None, None, MORE),
    ],
)
def test_a_loop_may_be_neither_slower_nor_faster_than_the_bare_one(
    low: float | None, high: float | None, said: str
) -> None:
    """By RPS or by CPU; an interval that holds a limit shows neither."""
    one, steady = Ratio(value=1.0, low=low, high=high), Ratio(value=1.0, low=0.99, high=1.01)
    assert Verdict(one, steady).words(0.03) == said
    assert Verdict(steady, one).words(0.03) == said


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
