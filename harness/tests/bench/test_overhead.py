"""What the loop costs a client that does nothing."""

from contextlib import closing
from pathlib import Path

from bench.overhead import measure
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.workload import columns
from respmark.workload.workload import generate
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
