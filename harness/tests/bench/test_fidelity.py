"""The suite against bare loops and stand-alone programs: one run of it whole."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import programs
from bench.fidelity import SUITE, compared
from bench.fidelity_rows import Against
from bench.sides import BareExecutor, ProgramExecutor
from respmark.cli.options import PlanOptions
from respmark.errors import InvalidRequestError
from respmark.paths import CHECKOUT
from respmark.plan.make import make_plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import client_spec, make_request
from tests.runners.scripted import Notes

LIAR = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"loaded": {"contract": 4, "versions": {}}} if "client" in asked else {"connected": {}}
    if "bare" in asked:
        moments = [asked["bare"]["first"] + 1, 0, 0], [asked["bare"]["first"] + asked["bare"]["ns"], 1, 0]
        said = {"bared": {"units": 1000, "started": moments[0], "ended": moments[1]}}
    print(json.dumps(said), flush=True)
"""


def test_a_runner_takes_turns_with_its_bare_loop_and_with_a_program(tmp_path: Path) -> None:
    """Whole, with a real client and server; a loop that claims what the server did not see has no figures."""
    (tmp_path / "liar.py").write_text(LIAR)
    command = [
        *(sys.executable, "-m", "bench.fidelity", "--client", "redis-py", "--client", "redis-py[parser=python]"),
        *("--scenario", "batching", "--depth", "100", "--rounds", "1", "--laps", "3", "--slice-s", "0.03"),
        *("--warmup-limit-s", "0.2", "--cpus", "free", "--out", str(tmp_path / "out")),
        *("--bare", f"redis-py[parser=python]={sys.executable} {tmp_path / 'liar.py'}"),
    ]
    finished = subprocess.run(command, cwd=CHECKOUT / "harness", capture_output=True, text=True, check=False)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    found = json.loads((tmp_path / "out" / "fidelity.json").read_text())
    *honest_rows, liar = found["rows"]
    assert [row["against"] for row in found["rows"]] == ["bare", "program", "bare"]
    for row in honest_rows:
        assert (row["reason"], len(row["laps"])) == (None, 3)
        assert all(lap["suite_cpu_ns"] > 0 and lap["other_cpu_ns"] > 0 for lap in row["laps"])
    assert "the loop claims" in liar["reason"]
    assert "suite / bare loop" in finished.stdout
    assert "suite / stand-alone program" in finished.stdout


def test_every_library_has_a_program() -> None:
    """A client that is compared has one, written from its README, which imports nothing of ours."""
    known = {client.partition("[")[0] for client in Catalogue().suite("fidelity").clients}
    assert known <= set(programs.STARTED)
    for program in filter(Path.is_file, programs.FOLDER.iterdir()):
        assert not re.search("(import|use) respmark", program.read_text())


def test_with_several_threads_there_is_a_program_and_no_bare_loop() -> None:
    """Bare loops have one walker: one thread's figures say nothing of ten."""
    catalogue = Catalogue()
    plan = make_plan(PlanOptions().request(catalogue, SUITE), catalogue)
    cells = [cell for cell in plan.cells if cell.shape.threads]
    found = [(cell.client.name, against) for cell, against in compared(cells, (Against.BARE, Against.PROGRAM))]
    assert found == [("stackexchange-redis", Against.PROGRAM), ("jedis", Against.PROGRAM)]
    with pytest.raises(InvalidRequestError, match="nothing to compare"):
        compared(cells, (Against.BARE,))


@pytest.mark.parametrize("executor", [BareExecutor, ProgramExecutor])
def test_compilers_of_the_other_side_are_watched_too(
    executor: type[BareExecutor | ProgramExecutor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it is measured while it is being compiled, and the suite seems to cost less than nothing."""
    command = (sys.executable, "-c", "import sys; sys.stdin.read()", "{client}")
    monkeypatch.setattr(programs, "command", lambda runner, *_: runner)
    spec = RunnerSpec(
        name="python", language="Python", runtime="rt", command=command, advice="none", compilers=("C2 CompilerThre",)
    )
    with executor({"python": spec}, {("python", "lib"): client_spec()}, Notes(), tmp_path) as opened:
        assert opened.start(make_request()).compiling_ns() is not None
