"""What the loops cost a client that does nothing."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.overhead import LOOPS, NULL, SYNC, Overhead, limits_table, loops_of, loops_table, measure
from respmark.contract.trial import Scenario, Shape
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.specs.scenario import commands_per_unit
from respmark.workload import columns
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED

BATCH = (Scenario.BATCHING, Shape(depth=100))


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    with closing(Guardian()) as guardian, LocalExecutor(SHIPPED.runners, SHIPPED.every_client, guardian) as made:
        yield made


def test_a_runner_works_without_a_server(executor: LocalExecutor, tmp_path: Path) -> None:
    """Every loop of the Python runner is measured by the contract alone."""
    path, spec = tmp_path / "conform.columns", SHIPPED.every_client["python", NULL]
    columns.write(generate(SHIPPED.workload("conform"), 1), path)
    for loop in loops_of(spec):
        found = measure(executor, spec, loop, path, slices=3, slice_s=0.01)
        assert (found.runner, found.loop) == ("python", loop)
        assert len(found.elapsed_ns) == len(found.cpu_ns) == 3
        assert all(elapsed > 0 for elapsed in found.elapsed_ns)


def test_every_runner_of_clients_has_a_client_that_does_nothing() -> None:
    """What hands over replies has one, and `sync` is among its loops; of every loop, some runner has one."""
    runners = {name for name, runner in SHIPPED.runners.items() if runner.capabilities.replies}
    nulls = {runner: spec for (runner, name), spec in SHIPPED.every_client.items() if name == NULL}
    assert set(nulls) == runners
    assert all(SYNC in loops_of(spec) for spec in nulls.values())
    assert {loop for spec in nulls.values() for loop in loops_of(spec)} == set(LOOPS)


def test_tables_show_what_has_a_limit_and_what_a_command_costs() -> None:
    """A row a loop, a column a runner; a batch's CPU is that of its commands."""
    rows = [
        Overhead("go", SYNC, elapsed_ns=(40, 50, 60), cpu_ns=(30, 40, 45)),
        Overhead("python", SYNC, elapsed_ns=(400, 500, 600), cpu_ns=(301, 400, 450)),
        Overhead("go", BATCH, elapsed_ns=(400, 500, 600), cpu_ns=(320, 400, 1200)),
    ]
    go, python = limits_table(rows).splitlines()[2:]
    assert go == "| go | 30 ns | 40 ns | 40 ns | 50 ns | 100 ns | met |"
    assert python == "| python | 301 ns | 400 ns | 400 ns | 500 ns | 300 ns | over |"
    units, commands = (
        loops_table(rows, of).splitlines() for of in (lambda _: 1, lambda loop: commands_per_unit(*loop))
    )
    assert units[0] == commands[0] == "| ns, best (median) | go | python |"
    assert units[2] == commands[2] == "| sync | 30 (40) | 301 (400) |"
    assert "| batching depth 100 | 320 (400) |  |" in units
    assert "| batching depth 100 | 3.2 (4.0) |  |" in commands
