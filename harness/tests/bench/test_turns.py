"""Slices after waiting against slices back to back."""

from bench.sides import RunnerSide
from bench.turns import Alternation, Mode
from tests.builders.plan import make_trial
from tests.fakes import FakeExecutor, FakeTarget, make_context


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
