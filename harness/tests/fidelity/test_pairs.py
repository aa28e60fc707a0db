"""One measurement by the suite's runner and one by a bare loop."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from respmark.run.measure import Bench

from respmark.contract.trial import TrialRequest
from respmark.execute.fake import FakeExecutor
from respmark.execute.protocol import RunnerFailedError
from respmark.fidelity.pairs import BareLoops, FidelityError, Speed, measure_pair
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian
from tests.builders import make_request, make_trial
from tests.fakes import FakeTarget, honest, make_bench

TRIAL = make_trial()


@pytest.fixture
def bench() -> Bench:
    """Return a bench whose runner does 100 operations in 1 s with 0.5 s of CPU."""
    target = FakeTarget()
    return make_bench(FakeExecutor(honest(target.control.server)), target)


def test_ratios_are_the_suite_by_the_bare_loop(bench: Bench) -> None:
    """100 a second against 200, and 5,000 µs a command against 4,000."""
    ratios = measure_pair(bench, TRIAL, lambda _request: Speed(200, 4000), suite_first=True)
    assert ratios.rps == pytest.approx(0.5)
    assert ratios.cpu_per_command == pytest.approx(1.25)


@pytest.mark.parametrize("suite_first", [True, False])
def test_who_begins_can_be_chosen(bench: Bench, *, suite_first: bool) -> None:
    """Both are measured once, in that order, on the same trial."""
    executor = bench.executor
    assert isinstance(executor, FakeExecutor)
    seen: list[tuple[TrialRequest, int]] = []

    def bare(request: TrialRequest) -> Speed:
        seen.append((request, len(executor.requests)))
        return Speed(1, 1)

    measure_pair(bench, TRIAL, bare, suite_first=suite_first)
    ((request, done),) = seen
    assert done == int(suite_first)
    assert executor.requests == [request]


def test_both_begin_from_the_same_state(bench: Bench) -> None:
    """What one wrote is written again before the other begins."""
    target = bench.target
    assert isinstance(target, FakeTarget)

    def bare(_request: TrialRequest) -> Speed:
        assert b"spoilt" not in target.control.server.data.values()
        return Speed(1, 1)

    bench.state.restore(target)
    key = next(iter(target.control.server.data))
    bench.state.dirty()
    target.control.server.data[key] = b"spoilt"
    measure_pair(bench, TRIAL, bare, suite_first=False)


def test_a_failed_trial_is_no_pair(bench: Bench) -> None:
    """Its reason is told with the trial's name."""

    def script(_request: TrialRequest) -> Iterator[RunnerFailedError]:
        yield RunnerFailedError("hung")

    broken = make_bench(FakeExecutor(script), FakeTarget())
    assert bench is not broken
    with pytest.raises(FidelityError, match=f"{TRIAL.id}: hung"):
        measure_pair(broken, TRIAL, lambda _request: Speed(1, 1), suite_first=True)


GOOD = """
import json, sys
trial = json.loads(sys.stdin.readline())
print("ready", flush=True)
assert json.loads(sys.stdin.readline()) == {"event": "go"}
print(json.dumps({"operations": 1000, "elapsed_ns": 2000000000, "cpu_ns": 500000000}), flush=True)
sys.stdin.read()
"""


def loops(folder: Path, guardian: Guardian, script: str, program: str = sys.executable) -> BareLoops:
    """Return bare loops whose one loop is a script."""
    (folder / "lib.py").write_text(script)
    bare = (program, "-IS", str(folder / "{library}.py"))
    spec = RunnerSpec(name="python", language="Python", command=("x",), bare=bare, advice="")
    return BareLoops({"python": spec}, guardian)


def test_a_bare_loop_is_run_as_a_runner_is(tmp_path: Path, guardian: Guardian) -> None:
    """It gets the trial, waits for `go`, and its figures are rates."""
    speed = loops(tmp_path, guardian, GOOD).for_trial(TRIAL)(make_request())
    assert speed == Speed(rps=500.0, cpu_us_per_command=500.0)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import sys; sys.exit('no module')", "exit code 1 before its result: no module"),
        (GOOD.replace('"operations": 1000', '"operations": 0'), "the bare loop printed"),
        (GOOD.replace('"cpu_ns"', '"cpu"'), "the bare loop printed"),
        (GOOD.replace("print(json.dumps(", "print(('garbage'), json.dumps("), "the bare loop printed"),
        (GOOD + "sys.exit(3)", "exit code 3 after its result"),
    ],
)
def test_a_bare_loop_that_fails_is_told(tmp_path: Path, guardian: Guardian, script: str, words: str) -> None:
    """Its command, or what it printed, is in the message."""
    with pytest.raises(FidelityError, match=words):
        loops(tmp_path, guardian, script).for_trial(TRIAL)(make_request())


def test_a_bare_loop_that_is_not_there_is_told(tmp_path: Path, guardian: Guardian) -> None:
    """With what to do."""
    with pytest.raises(FidelityError, match=r"no-such-program does not start: .*; run `make setup`"):
        loops(tmp_path, guardian, "", "no-such-program").for_trial(TRIAL)(make_request())
