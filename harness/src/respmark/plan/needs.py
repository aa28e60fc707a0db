"""How long a plan takes, and how much memory and disk, roughly; blocks that do not fit into memory are split."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from respmark.contract.rate import goal_of, parsed
from respmark.contract.trial import Shape
from respmark.plan.trial import BlockRound, Cell, Plan, Settings, by_block
from respmark.specs.runner import RunnerSpec
from respmark.specs.scenario import commands_per_unit

MIB: Final = 2**20
KEY_BYTES: Final = 160
"""What a server needs for a key besides its value: entry, names, the allocator's rounding. Seen: 120 to 150."""
SERVER_BYTES: Final = 64 * MIB
"""What a server needs without keys, but with connections."""
SLICE_BYTES: Final = 3_500
"""What a slice takes in a run's files. Seen: 3,000 in the published run, including latencies."""
TRIAL_BYTES: Final = 20_000


@dataclass(frozen=True)
class Needs:
    """What a plan needs, in bytes."""

    server: int
    """Memory, with the keys for the block that needs the most: keys of other workloads are not there then."""
    runners: int
    """Memory of the processes of the largest block."""
    disk: int
    """Size of the run's folder."""
    connections: Mapping[str, int] = field(default_factory=dict)
    """The most connections of a block at each server, by its name: who waits keeps theirs."""


def needs(plan: Plan, runners: Mapping[str, RunnerSpec]) -> Needs:
    """Return how much memory and disk space a plan needs."""
    blocks = [[trial.cell for trial in block.trials] for block in plan.rounds]
    workloads = (plan.settings.workloads_of(cells) for cells in blocks)
    keys = (sum(one.preload_keys * (round(one.sizes.mean_bytes) + KEY_BYTES) for one in each) for each in workloads)
    return Needs(
        server=SERVER_BYTES + max(keys, default=0),
        runners=max((needed_bytes(cells, runners) for cells in blocks), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
        connections={
            server: max(
                sum(connections_of(cell.shape) * cell.shape.processes for cell in cells if cell.server == server)
                for cells in blocks
            )
            for server in plan.settings.servers
        }
        if blocks
        else {},
    )


def connections_of(shape: Shape) -> int:
    """Return how many connections one process opens at least: some APIs open more, one for each command in flight."""
    return max(min(shape.threads or 1, shape.max_total or shape.threads or 1), shape.connections or 1)


def needed_bytes(cells: Iterable[Cell], runners: Mapping[str, RunnerSpec]) -> int:
    """Return how much memory the processes of these cells need together."""
    return sum(runners[cell.client.runner].memory_mib * MIB * cell.shape.processes for cell in cells)


def in_memory(cells: Sequence[Cell], runners: Mapping[str, RunnerSpec], memory_bytes: int) -> list[Cell]:
    """Return the cells; blocks that do not fit are split into parts, each with the block's first client.

    All others are compared with the first client: because it is in every part, every client still has its ratio. A part
    has at least two clients, whatever they need. A block that compares clients in several places (workloads, servers,
    round trips) is split by place first: in each, all clients are compared.
    """
    split = {cell.id: cell for block in by_block(cells) for cell in _parts(block, runners, memory_bytes)}
    return [split.pop(cell.id, cell) for cell in cells] + list(split.values())


def _parts(block: list[Cell], runners: Mapping[str, RunnerSpec], memory_bytes: int) -> Iterator[Cell]:
    part = 0
    for group in _by_place(block, runners, memory_bytes):
        part += 1
        baseline, *others = group
        first, members = replace(baseline, part=part), [baseline]
        for cell in others:
            if len(members) > 1 and needed_bytes([*members, cell], runners) > memory_bytes:
                part, members = part + 1, [baseline]
                yield replace(baseline, part=part, copy=part)
            members.append(cell)
            yield replace(cell, part=part)
        yield first


def _by_place(block: list[Cell], runners: Mapping[str, RunnerSpec], memory_bytes: int) -> list[list[Cell]]:
    """Return the cells of a block in groups of as many whole places as fit; one if it compares only clients."""
    places: dict[tuple[object, ...], list[Cell]] = {}
    for cell in block:
        places.setdefault((cell.workload, cell.server, cell.shape.rtt_ms), []).append(cell)
    if len({cell.client.name for cell in block}) == 1 or len(places) == 1:
        return [block]
    groups: list[list[Cell]] = []
    for place in places.values():
        if groups and needed_bytes([*groups[-1], *place], runners) <= memory_bytes:
            groups[-1] += place
        else:
            groups.append(list(place))
    return groups


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
KEY_S: Final = 2e-6
"""What it takes to write a key and to remove it again, besides its value. Seen: 2.1 microseconds with three bytes."""
VALUE_BYTE_S: Final = 5e-9
"""What each byte of its value adds. Seen: 7 microseconds in all with a value of 1 KiB."""
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
"""How often the run itself sends in a slice about, where it sends something beside the client."""
WAITS_BEFORE: Final = 15
"""Units of such a workload before the first lap: three are verified, the others are the warm-up's, one a slice."""


def estimate_s(plan: Plan, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long the plan's rounds take, in seconds."""
    return writing_s(plan) + sum(
        preparation_estimate_s(plan.settings, block, runners)
        + planned_laps(plan.settings, block) * lap_estimate_s(plan.settings, block)
        for block in plan.rounds
    )


def writing_s(plan: Plan) -> float:
    """Return roughly how long writing keys takes, in seconds: where a block has other workloads than the one before."""
    blocks = [{(trial.cell.server, trial.cell.workload) for trial in block.trials} for block in plan.rounds]
    written = (places for places, before in zip(blocks, [set(), *blocks], strict=False) if places != before)
    specs = (plan.settings.workloads[workload] for places in written for _, workload in places)
    return sum(one.preload_keys * (KEY_S + VALUE_BYTE_S * one.sizes.mean_bytes) for one in specs)


def is_search(block: BlockRound) -> bool:
    """Return whether the highest rates of a block's clients are looked for."""
    return any(goal_of(trial.cell.shape.rate or "") for trial in block.trials)


def planned_laps(settings: Settings, block: BlockRound) -> int:
    """Return how many laps a block has: as many as the settings say, unless rates are looked for."""
    return FIND_LAPS + FIND_POINTS * settings.laps if is_search(block) else settings.laps


def preparation_estimate_s(settings: Settings, block: BlockRound, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long everything but its laps takes in one round of a block, in seconds."""
    cells = [trial.cell for trial in block.trials]
    return sum(
        _started_s(settings, cell, runners[cell.client.runner]) + _before_laps_s(settings, cell) for cell in cells
    )


def _started_s(settings: Settings, cell: Cell, runner: RunnerSpec) -> float:
    others_s = PROCESS_S * (cell.shape.processes - 1)
    calls_s = CALLS * _call_s(cell) if settings.warmup_limit_s else 0.0
    return runner.start_s + others_s + min(runner.warm_up_s, settings.warmup_limit_s) + calls_s


def _before_laps_s(settings: Settings, cell: Cell) -> float:
    """Return how long the server lets it wait before the first lap, and how long its open loop warms up."""
    is_warmed = cell.shape.rate is not None and settings.warmup_limit_s > 0
    open_s = LEAST_TOGETHER * (settings.lead_in_s + warming_slice_s(settings, cell)) if is_warmed else 0.0
    return open_s + WAITS_BEFORE * waits_s_of(settings, cell)


def lap_estimate_s(settings: Settings, block: BlockRound) -> float:
    """Return roughly how long a lap of a block takes, in seconds, unless its units are long."""
    return sum(settings.lead_in_s + _lasting_s(settings, trial.cell) + TURN_S for trial in block.trials)


def _lasting_s(settings: Settings, cell: Cell) -> float:
    slice_s = slice_s_of(settings, cell)
    if not cell.client.capabilities.own_programs:
        return slice_s
    return DRIVER_SPARE * slice_s + _call_s(cell)


def _call_s(cell: Cell) -> float:
    """Return what a call of a driver takes besides its work, in seconds; 0 for a library."""
    capabilities = cell.client.capabilities
    return capabilities.call_s + CONNECTING_S * connections_of(cell.shape) if capabilities.own_programs else 0.0


def slice_s_of(settings: Settings, cell: Cell, rate: float | None = None) -> float:
    """Return how long the measured part of a cell's slices is to be at least, in seconds; of an open loop exactly.

    `rate` is that of the slice, in commands per second, where the client's own is looked for. A closed loop may need
    longer: how long its units take is known when it has warmed up.
    """
    workload = settings.workloads[cell.workload]
    per_second = workload.elements_per_second
    least_s = (
        settings.slice_s,
        cell.client.capabilities.least_slice_s,
        LEAST_WAITS * waits_s_of(settings, cell),
        LEAST_ELEMENTS / per_second if per_second else 0.0,
        min(LONGEST_SLICE_S, LEAST_BESIDE / workload.beside.per_second) if workload.beside else 0.0,
    )
    per_unit = commands_per_unit(cell.scenario, cell.shape)
    rare = LEAST_RARE / min(command.share for command in workload.mix)
    due = LEAST_WAITS if per_second else max(LEAST_UNITS * per_unit, rare)
    return _lasts_s(cell) or max(*least_s, _due_s(cell, rate, due))


def warming_slice_s(settings: Settings, cell: Cell, rate: float | None = None) -> float:
    """Return how long the slices are in which a cell with a rate warms up, in seconds; for `rate` see `slice_s_of`.

    Their figures are not kept: a few units are enough.
    """
    few = LEAST_WAITS * commands_per_unit(cell.scenario, cell.shape)
    return min(slice_s_of(settings, cell, rate), max(WARMING_SLICE_S, _due_s(cell, rate, few)))


def _lasts_s(cell: Cell) -> float | None:
    """Return how long the steps of its rate last, in seconds; None without steps."""
    rate = cell.shape.rate
    return None if rate is None or goal_of(rate) else parsed(rate).lasts_s


def _due_s(cell: Cell, rate: float | None, commands: float) -> float:
    """Return the time in which so many commands are due, in seconds; 0 in a closed loop, or where the rate is open."""
    own = cell.shape.rate
    if rate is None and own is not None and not goal_of(own):
        rate = parsed(own).steps[0].start
    return min(LONGEST_SLICE_S, commands / rate) if rate else 0.0


def waits_s_of(settings: Settings, cell: Cell) -> float:
    """Return how long the server lets a client wait for each reply, in seconds."""
    return settings.workloads[cell.workload].waits_s


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above
