"""What the loop costs a client that does nothing, and slices after waiting against slices back to back."""

from contextlib import closing
from pathlib import Path

from bench.overhead import measure
from bench.sides import RunnerSide
from bench.turns import Alternation, Mode
from respmark.execute.local import LocalExecutor
from respmark.target.guardian import Guardian
from respmark.workload import columns
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED, make_trial
from tests.fakes import FakeExecutor, FakeTarget, make_context


def test_a_runner_works_without_a_server(tmp_path: Path) -> None:
    """The Python runner's loop is measured by the contract alone, and its time is no less than its CPU."""
    path = tmp_path / "conform.columns"
    columns.write(generate(SHIPPED.workload("conform"), 1), path)
    with (
        closing(Guardian()) as guardian,
        LocalExecutor(SHIPPED.runners, SHIPPED.every_client, guardian) as executor,
    ):
        found = measure(executor, "python", path, slices=3, slice_s=0.01)
    assert found.runner == "python"
    assert len(found.elapsed_ns) == len(found.cpu_ns) == 3
    assert all(elapsed > 0 for elapsed in found.elapsed_ns)


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
