"""The suite against bare loops: what laps show, what goes on, and one run of it whole."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.fidelity import (
    MORE,
    Row,
    Verdict,
    verdicts,
    with_laps,
)
from bench.sides import Speed
from respmark.contract.trial import Scenario, Shape
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


def make_row(rounds: int = 4, rps: float = 1.0, cpu: float = 1.0, **changes: Any) -> Row:  # noqa: ANN401 - its fields
    fields = {"client": "lib", "scenario": Scenario.BATCHING, "shape": Shape(depth=100), "reason": None}
    row = Row(**{**fields, "versions": {"lib": "1.2"}, "laps": [], **changes})
    for number in range(1, rounds + 1):
        unsteady = [1 + 0.001 * ((number + lap) % 3 - 1) for lap in range(5)]
        row = with_laps(row, number, [(Speed(rps * one, cpu / one), Speed(1.0, 1.0)) for one in unsteady])
    return row


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


def test_ratios_are_the_suites_figures_by_the_bare_loops() -> None:
    """A row without laps has no verdict and keeps its place; one round shows nothing."""
    slow, none, once = verdicts([make_row(rps=0.8, cpu=1.2), make_row(rounds=0, reason="gone"), make_row(rounds=1)])
    assert slow is not None
    assert slow.rps.value == pytest.approx(0.8, rel=1e-3)
    assert slow.cpu.value == pytest.approx(1.2, rel=1e-3)
    assert none is None
    assert once is not None
    assert once.words(0.03) == MORE


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
