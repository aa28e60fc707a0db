"""Slices after waiting against slices back to back."""

import pytest

from bench.fidelity import Verdict
from bench.sides import RunnerSide, Speed
from bench.turns import Alternation, Mode, Waited, differs, with_round
from respmark.contract.trial import Scenario, Shape
from respmark.statistics.compare import Ratio
from tests.builders.plan import make_trial
from tests.fakes import FakeExecutor, FakeTarget, make_context

STEADY = Ratio(1.0, 0.99, 1.01, None)


def waited(rps: float = 100.0, cpu_ns: float = 100.0, mode: Mode = Mode.LEAD_IN, reason: str | None = None) -> Waited:
    """Return three rounds of five laps: 100 a second and 100 ns back to back, so much after waiting, a bit unsteady."""
    row = Waited(
        client="lib", scenario=Scenario.BATCHING, shape=Shape(depth=100), versions={}, laps=[], reason=reason, mode=mode
    )
    for number in (1, 2, 3):
        laps = [
            {Mode.BACK_TO_BACK: Speed(100, 100), mode: Speed(rps * (1 + 0.001 * ((lap + number) % 3 - 1)), cpu_ns)}
            for lap in range(5)
        ]
        row = with_round(row, number, laps)
    return row


@pytest.mark.parametrize(
    ("low", "high", "wholly_outside"),
    [(0.98, 1.02, False), (0.90, 0.96, True), (0.90, 0.97, False), (1.04, 1.10, True), (1.03, 1.1, False)],
)
def test_a_client_differs_where_an_interval_lies_outside(low: float, high: float, *, wholly_outside: bool) -> None:
    """Of throughput or of CPU; an interval that reaches into 0.97 to 1.03 shows nothing."""
    one = Ratio((low + high) / 2, low, high, None)
    assert differs(Verdict(one, STEADY)) is wholly_outside
    assert differs(Verdict(STEADY, one)) is wholly_outside


def test_a_lap_has_one_slice_of_each_kind() -> None:
    """Two of them after a wait; the one back to back has another slice before it, which does not count."""
    target = FakeTarget()
    executor = FakeExecutor(target.control.server)
    context = make_context(executor, target)
    side, waits = RunnerSide(context, make_trial()), list[int]()
    side.start()
    speeds = Alternation(side, lambda: waits.append(len(executor.runners[0].ordered))).lap(1)
    side.end()
    assert set(speeds) == set(Mode)
    assert len(waits) == 2
    assert len(executor.runners[0].ordered) == 4
    assert len(side.participant.turns) == 3
    assert len({turn.work.first for turn in side.participant.turns}) == 1
