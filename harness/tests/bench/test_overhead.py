"""What the loop costs a client that does nothing."""

from contextlib import closing
from pathlib import Path

from bench.overhead import Overhead, measure, table
from respmark.execute.local import LocalExecutor
from respmark.target.guardian import Guardian
from respmark.workload import columns
from respmark.workload.generate import generate
from tests.builders.plan import SHIPPED


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


def test_the_best_slice_s_cpu_is_held_against_the_limit() -> None:
    """What a busy machine adds to the others says nothing of the loop; Python's limit is its own."""
    rows = [
        Overhead("python", elapsed_ns=(900.0, 400.0), cpu_ns=(250.0, 299.0)),
        Overhead("java", elapsed_ns=(150.0, 160.0), cpu_ns=(101.0, 120.0)),
    ]
    assert table(rows).splitlines()[2:] == [
        "| python | 250 ns | 274 ns | 400 ns | 650 ns | 300 ns | met |",
        "| java | 101 ns | 110 ns | 150 ns | 155 ns | 100 ns | over |",
    ]
