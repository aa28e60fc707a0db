"""Clients whose just-in-time compilers are at work, in the warm-up and in slices that count."""

from itertools import accumulate

import pytest

from respmark.contract.trial import TrialRequest
from respmark.results.records import Status
from respmark.run.block import measure_block
from respmark.run.warmup import LEAST_TOGETHER, LOOKED_AT
from respmark.specs.client import Client
from tests.builders.plan import make_block
from tests.fake_executor import FakeProcess, Script
from tests.fakes import honest, make_context
from tests.run.conftest import TRIAL, World
from tests.run.watched import Watched

SETTLED_AT = 1 + LEAST_TOGETHER + 1 + LOOKED_AT
"""Readings of what compilers used: one before each part of the warm-up, one after each of its slices."""


class Compiling(Watched):
    """Starts runners whose compilers have used so much at one reading after the other."""

    def __init__(self, script: Script, compiled_ns: list[int]) -> None:
        super().__init__(script)
        self._compiled_ns = compiled_ns

    def start(self, client: Client, request: TrialRequest) -> FakeProcess:
        """Start one."""
        process = super().start(client, request)
        process.compiled_ns = self._compiled_ns
        return process


@pytest.mark.parametrize(
    ("busy", "slices", "percent"),
    [
        (0, 12, 0.0),
        (10, 22, 0.0),  # ten in which they are busy, four in which they are idle, and eight alone
        (12, 24, 0.0),
    ],
)
def test_a_client_whose_compilers_are_busy_is_not_warm(world: World, busy: int, slices: int, percent: float) -> None:
    """However steady it looks meanwhile: here, they use 40 % of `busy` slices, then nothing."""
    executor = Compiling(honest(world.server), [min(one, busy) * 40_000_000 for one in range(40)])
    context = make_context(executor, world.target, warmup_limit_s=60.0, laps=1)
    warm_up = measure_block(context, make_block(TRIAL)).outcomes[0].warm_up
    assert warm_up is not None
    assert (warm_up.slices, warm_up.is_steady) == (slices, True)
    assert warm_up.compiling_percent == pytest.approx(percent)


@pytest.mark.parametrize(
    ("busy", "slices", "percent"),
    [
        (1, 12, 5.0),  # of eight slices, 5 % is the most
        (2, 13, 5.0),
        (5, 16, 5.0),
    ],
)
def test_compilers_are_judged_once_more_alone(world: World, busy: int, slices: int, percent: float) -> None:
    """Beside others they were idle; here, they use 40 % of the first slices alone."""
    burst = [0] * (1 + LEAST_TOGETHER) + [min(one, busy) * 16_000_000 for one in range(40)]
    context = make_context(Compiling(honest(world.server), burst), world.target, warmup_limit_s=60.0, laps=1)
    warm_up = measure_block(context, make_block(TRIAL)).outcomes[0].warm_up
    assert warm_up is not None
    assert (warm_up.slices, warm_up.is_steady) == (slices, True)
    assert warm_up.compiling_percent == pytest.approx(percent)


def test_a_warm_up_that_ends_while_compilers_are_busy_says_so(world: World) -> None:
    """The limit was reached first: the end of it belongs to the slices alone, so that they can be judged."""
    executor = Compiling(honest(world.server), [one * 40_000_000 for one in range(40)])
    context = make_context(executor, world.target, warmup_limit_s=1.2, laps=1)
    warm_up = measure_block(context, make_block(TRIAL)).outcomes[0].warm_up
    assert warm_up is not None
    assert (warm_up.slices, warm_up.is_steady) == (9 + LOOKED_AT, False)
    assert warm_up.together_s == pytest.approx(0.9)
    assert warm_up.compiling_percent == pytest.approx(100.0)


BUSY, IDLE = 101, 100
"""Milliseconds of a slice of one second."""


@pytest.mark.parametrize(
    ("compiling_ms", "laps"),
    [
        ([IDLE, IDLE], [1, 2]),
        ([BUSY, IDLE, IDLE], [1, 1, 2]),
        ([IDLE, BUSY, IDLE], [1, 2, 2]),
        ([BUSY, BUSY, BUSY, IDLE], [1, 1, 1, 2]),  # the third counts, whatever compilers do in it
    ],
)
def test_a_slice_is_worked_again_while_compilers_are_at_work(
    world: World, compiling_ms: list[int], laps: list[int]
) -> None:
    """At the same place of the workload, and its record says why."""
    executor = Compiling(honest(world.server), [0] * SETTLED_AT + readings(compiling_ms))
    context = make_context(executor, world.target, warmup_limit_s=60.0, laps=2, slice_s=0.9, lead_in_s=0.1)
    outcome = measure_block(context, make_block(TRIAL)).outcomes[0]
    assert (outcome.status, outcome.reason) == (Status.OK, None)
    assert [one.lap for one in outcome.slices] == laps
    assert [one.compiling_ns for one in outcome.slices] == [one * 1_000_000 for one in compiling_ms]
    assert len({one.order.first_command for one in outcome.slices}) == 2


def test_without_a_warm_up_compilers_are_measured(world: World) -> None:
    """Who asks for none wants to see them."""
    executor = Compiling(honest(world.server), readings([BUSY, BUSY]))
    outcome = measure_block(make_context(executor, world.target, laps=2), make_block(TRIAL)).outcomes[0]
    assert [one.lap for one in outcome.slices] == [1, 2]


def readings(compiling_ms: list[int]) -> list[int]:
    """Return what compilers have used before and after each slice."""
    after = list(accumulate(one * 1_000_000 for one in compiling_ms))
    return [one for pair in zip([0, *after], after, strict=False) for one in pair]
