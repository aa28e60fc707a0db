"""A whole workload against its first commands."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.walk import HotSide, Price, WalkRow, WalkRun, cut, exit_code, hot_bench, title, with_commands, words
from respmark.contract.events import SliceOrder
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode, InvalidRequestError
from respmark.fidelity.rows import Lap
from respmark.workload import file as workload_file
from tests.builders.plan import make_trial, planned, tiny_workload
from tests.fake_executor import FakeExecutor
from tests.fakes import FakeTarget, honest, made_workload, make_context


def row(cpu: float, reason: str | None = None) -> WalkRow:
    """Return three rounds of five laps, in which the cold side takes so much CPU to the hot one's 1."""
    return WalkRow(
        client="lib",
        scenario=Scenario.BATCHING,
        shape=Shape(depth=100),
        versions={},
        laps=[
            Lap(round=number, lap=lap, suite_rps=1, other_rps=1, suite_cpu_ns=cpu + 0.001 * lap, other_cpu_ns=1)
            for number in (1, 2, 3)
            for lap in range(1, 6)
        ],
        reason=reason,
        cold=[Price(startup_ns=500_000_000, peak_memory_bytes=100 * 2**20)] * 3,
        hot=[Price(startup_ns=250_000_000, peak_memory_bytes=40 * 2**20)] * 3,
    )


def found(*rows: WalkRow) -> WalkRun:
    """Return a run of these rows."""
    return WalkRun(
        rounds=3,
        laps=5,
        slice_s=0.1,
        lead_in_s=0.05,
        workload="quick",
        commands=100_000,
        hot_commands=1_000,
        machine="a machine",
        target="redis 7",
        seed=1,
        rows=list(rows),
    )


def test_the_hot_file_is_the_beginning_of_the_cold_one(tmp_path: Path) -> None:
    """The same commands, the same bytes of values, the same header but for the number of commands."""
    whole = tiny_workload()
    workload_file.write(cut(whole, 7), tmp_path / "hot")
    hot = workload_file.read(tmp_path / "hot")
    assert hot.header.commands == 7
    for column in ("kinds", "keys", "sizes"):
        assert np.array_equal(getattr(hot, column), getattr(whole, column)[:7])
    assert hot.block == whole.block
    sections = {"commands", "kinds", "keys", "sizes", "block"}
    assert hot.header.model_dump(exclude=sections) == whole.header.model_dump(exclude=sections)


def test_the_hot_side_begins_inside_its_file(tmp_path: Path) -> None:
    """Slices are ordered for the whole workload; its claims are held against its own commands."""
    target = FakeTarget()
    context = make_context(FakeExecutor(honest(target.control.server)), target)
    whole = made_workload(tiny_workload(), tmp_path / "whole.workload")
    hot = hot_bench(replace(context, workloads={"tiny": whole}), 7)
    assert hot.workloads["tiny"].commands == 7
    side = HotSide(hot, make_trial())
    side.start()
    side.work(SliceOrder(slice=1, duration_ns=1, first_command=16, keep_samples=True))
    side.kill()
    assert side.participant.turns[0].order.first_command == 2


def test_the_hot_file_must_be_shorter() -> None:
    """Else there is nothing to compare."""
    plan = planned()
    assert with_commands(plan, 5_000, 1_000).settings.workload.commands == 5_000
    for hot in (0, 5_000):
        with pytest.raises(InvalidRequestError, match="--hot must be at least 1, and less than the workload's 5,000"):
            with_commands(plan, 5_000, hot)


def test_a_walk_that_costs_more_than_3_percent_fails() -> None:
    """An interval above 1.03 as a whole does, and a client that failed."""
    assert exit_code([row(1.0)]) is ExitCode.OK
    assert exit_code([row(0.8)]) is ExitCode.OK
    assert exit_code([row(1.0), row(1.1)]) is ExitCode.SOME_FAILED
    assert exit_code([row(1.0, reason="round 3: hung")]) is ExitCode.SOME_FAILED


def test_the_table_has_the_price_of_the_commands() -> None:
    """Time until loaded and peak memory of both sides; a row that failed at once has none."""
    failed = row(1.0, reason="hung").model_copy(update={"laps": [], "cold": [], "hot": []})
    costly, nothing = words(found(row(1.1), failed))
    assert costly[4:] == ("0.50", "0.25", "100", "40", "costs more than 3 %")
    assert nothing == ("lib", "batching depth 100", *[""] * 6, "hung")
    assert title(found(row(1.0))).startswith("100,000 commands / the first 1,000, ")
