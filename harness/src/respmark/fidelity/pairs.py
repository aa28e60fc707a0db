"""Measures one round of a row: both sides are started, and take turns slice by slice."""

from respmark.contract.events import SliceOrder
from respmark.fidelity.rows import Lap
from respmark.fidelity.sides import RunnerSide, Side
from respmark.plan.order import in_random_order
from respmark.run.quiet import BEFORE_LAPS_S, BEFORE_SLICE_S, wait_until_quiet
from respmark.run.slices import kept_slice


def measure_round(suite: RunnerSide, other: Side, number: int) -> list[Lap]:
    """Return the laps of one round, in which both sides have fresh processes.

    Raises:
        FidelityError: one side failed.
        TargetError: the target refused us or went away.
    """
    try:
        suite.start()
        other.start()
        wait_until_quiet([suite, other], BEFORE_LAPS_S)
        if suite.context.settings.warmup_limit_s:
            suite.settle()
            other.settle()
        laps = [_lap(suite, other, number, lap) for lap in range(1, suite.context.settings.laps + 1)]
        suite.end()
        other.end()
    finally:
        suite.kill()
        other.kill()
    return laps


def _lap(suite: RunnerSide, other: Side, number: int, lap: int) -> Lap:
    settings = suite.context.settings
    order: SliceOrder = kept_slice(suite.participant, (number - 1) * settings.laps + lap)
    sides: list[Side] = in_random_order([suite, other], f"{settings.seed}:{suite.trial.id}:{lap}")
    speeds = {}
    for side in sides:
        wait_until_quiet(sides, BEFORE_SLICE_S)
        speeds[id(side)] = side.work(order)
    ours, theirs = speeds[id(suite)], speeds[id(other)]
    return Lap(
        round=number,
        lap=lap,
        suite_rps=ours.rps,
        other_rps=theirs.rps,
        suite_cpu_ns=ours.cpu_ns_per_command,
        other_cpu_ns=theirs.cpu_ns_per_command,
    )
