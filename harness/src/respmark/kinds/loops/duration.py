"""How long the slices of loops are, and how long a round of a block of them takes."""

from collections.abc import Mapping
from typing import Final

from respmark.contract.rate import goal_of, parsed
from respmark.plan.needs import connections_of
from respmark.plan.plan import Block, PlannedCell, Settings
from respmark.specs.runner import RunnerSpec
from respmark.specs.scenario import commands_per_unit

FIND_LAPS: Final = 45
"""Laps of a search for the highest rate."""
FIND_POINTS: Final = 4
"""Rates below it at which latency is measured then."""
PROCESS_S: Final = 0.1
"""What each further process of a trial adds to start and end; most of that overlaps with the other processes."""
DRIVER_SPARE: Final = 1.4
"""How much longer a driver's slices are than asked for."""
CONNECTING_S: Final = 0.05 / 64
"""What each connection of a driver takes before."""
CALLS: Final = 13
"""Calls of a driver before its first lap: one that shows its rate, four beside others, eight alone."""
TURN_S: Final = 0.009
"""What a slice takes besides its work: orders, answers, the server's counters, and waiting until others are quiet.
Seen: 0.008 s on average in the published run."""
LEAST_TOGETHER: Final = 4
"""How many slices a client works beside others at least, as many as an open loop warms up, and in how many its
compilers must have been idle."""
WARMING_SLICE_S: Final = 0.1
"""The measured part of such a slice, unless the suite's are shorter, or its units need longer."""
LEAST_UNITS: Final = 10
"""A slice is made longer if its time is not enough for this many units."""
LEAST_RARE: Final = 5
"""At a rate, it is made longer so that the rarest command of the mix comes about so often: a p99 is to know it."""
LONGEST_SLICE_S: Final = 2.0
"""But no longer than this."""
LEAST_WAITS: Final = 3
"""Units of a slice at least, where the server lets the client wait for each."""
LEAST_ELEMENTS: Final = 2
"""Elements of a slice about, where the run pushes them."""
LEAST_BESIDE: Final = 15
"""How often the run itself sends in a slice about, where it sends something beside the client, or moves slots."""
WAITS_BEFORE: Final = 15
"""Units of such a workload before the first lap: three are verified, the others are the warm-up's, one a slice."""


def estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds, unless its units are long; without its keys."""
    cells = [trial.cell for trial in block.trials]
    is_search = any(goal_of(cell.shape.rate or "") for cell in cells)
    laps = FIND_LAPS + FIND_POINTS * settings.laps if is_search else settings.laps
    before_s = sum(_before_laps_s(settings, cell, runners[cell.client.runner]) for cell in cells)
    return before_s + laps * sum(_lap_s(settings, cell) for cell in cells)


def _before_laps_s(settings: Settings, cell: PlannedCell, runner: RunnerSpec) -> float:
    """Return how long it takes to start and end, to warm up, and how long the server lets it wait meanwhile."""
    others_s = PROCESS_S * (cell.shape.processes - 1)
    calls_s = CALLS * _call_s(cell) if settings.warmup_limit_s else 0.0
    is_warmed = cell.shape.rate is not None and settings.warmup_limit_s > 0
    open_s = LEAST_TOGETHER * (settings.lead_in_s + warming_slice_s(settings, cell)) if is_warmed else 0.0
    warm_up_s = min(runner.warm_up_s, settings.warmup_limit_s) + calls_s + open_s
    return runner.start_s + others_s + warm_up_s + WAITS_BEFORE * settings.waits_s_of(cell)


def _lap_s(settings: Settings, cell: PlannedCell) -> float:
    """Return how long its slice of a lap takes, with all that goes with it."""
    slice_s = slice_s_of(settings, cell)
    if cell.client.capabilities.own_programs:
        slice_s = DRIVER_SPARE * slice_s + _call_s(cell)
    return settings.lead_in_s + slice_s + TURN_S


def _call_s(cell: PlannedCell) -> float:
    """Return what a call of a driver takes besides its work, in seconds; 0 for a library."""
    capabilities = cell.client.capabilities
    return capabilities.call_s + CONNECTING_S * connections_of(cell.shape) if capabilities.own_programs else 0.0


def slice_s_of(settings: Settings, cell: PlannedCell, rate: float | None = None) -> float:
    """Return how long the measured part of a cell's slices is to be at least, in seconds; of an open loop exactly.

    `rate` is that of the slice, in commands per second, where the client's own is looked for. A closed loop may need
    longer: how long its units take is known when it has warmed up.
    """
    workload = settings.workloads[cell.workload]
    per_second = workload.elements_per_second
    own = workload.beside or workload.moves
    least_s = (
        settings.slice_s,
        cell.client.capabilities.least_slice_s,
        LEAST_WAITS * settings.waits_s_of(cell),
        LEAST_ELEMENTS / per_second if per_second else 0.0,
        min(LONGEST_SLICE_S, LEAST_BESIDE / own.per_second) if own else 0.0,
    )
    per_unit = commands_per_unit(cell.scenario, cell.shape)
    rare = LEAST_RARE / min(command.share for command in workload.mix)
    due = LEAST_WAITS if per_second else max(LEAST_UNITS * per_unit, rare)
    return _lasts_s(cell) or max(*least_s, _due_s(cell, rate, due))


def warming_slice_s(settings: Settings, cell: PlannedCell, rate: float | None = None) -> float:
    """Return how long the slices are in which a cell with a rate warms up, in seconds; for `rate` see `slice_s_of`.

    Their figures are not kept: a few units are enough.
    """
    few = LEAST_WAITS * commands_per_unit(cell.scenario, cell.shape)
    return min(slice_s_of(settings, cell, rate), max(WARMING_SLICE_S, _due_s(cell, rate, few)))


def _lasts_s(cell: PlannedCell) -> float | None:
    """Return how long the steps of its rate last, in seconds; None without steps."""
    rate = cell.shape.rate
    return None if rate is None or goal_of(rate) else parsed(rate).lasts_s


def _due_s(cell: PlannedCell, rate: float | None, commands: float) -> float:
    """Return the time in which so many commands are due, in seconds; 0 in a closed loop, or where the rate is open."""
    own = cell.shape.rate
    if rate is None and own is not None and not goal_of(own):
        rate = parsed(own).steps[0].start
    return min(LONGEST_SLICE_S, commands / rate) if rate else 0.0
