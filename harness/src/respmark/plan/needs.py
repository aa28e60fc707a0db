"""What a plan needs: memory, disk and connections."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from respmark.contract.trial import Scenario, Shape
from respmark.plan.faults import MOST_TOGETHER
from respmark.plan.plan import Plan, PlannedCell
from respmark.specs.runner import RunnerSpec

MIB: Final = 2**20
KEY_BYTES: Final = 160
"""What a server needs for a key besides its value: entry, names, the allocator's rounding. Seen: 120 to 150."""
SERVER_BYTES: Final = 64 * MIB
"""What a server needs without keys, but with connections."""
SLICE_BYTES: Final = 3_500
"""What a slice takes in a run's files. Seen: 3,000 in the published run, including latencies."""
TRIAL_BYTES: Final = 20_000
TOGETHER: Final[Mapping[Scenario | None, int]] = {Scenario.COLD_START: 1, Scenario.FAULTS: MOST_TOGETHER}
"""How many trials of a block are there at the same time, where that is not all of them."""
CALLER_PART: Final = 3
"""A process that is one of several callers under a fault needs so small a part: it has few commands. Seen: 90 MiB of
the 250 of Node, 33 of PHP's 200."""


@dataclass(frozen=True)
class Needs:
    """What a plan needs; sizes are in bytes."""

    server: int
    """Memory of the server, with the keys of the block that needs the most: it holds those of one block at a time."""
    runners: int
    """Memory of the processes of the largest block."""
    disk: int
    """Size of the run's folder."""
    connections: Mapping[str, int] = field(default_factory=dict)
    """The most connections of a block at each server, by name: clients keep theirs while they wait for their turn."""


def needs(plan: Plan, runners: Mapping[str, RunnerSpec]) -> Needs:
    """Return what a plan needs."""
    blocks = [[trial.cell for trial in block.trials] for block in plan.round(1)]
    workloads = (plan.settings.workloads_of(cells) for cells in blocks)
    keys = (sum(one.preload_keys * (round(one.sizes.mean_bytes) + KEY_BYTES) for one in each) for each in workloads)
    return Needs(
        server=SERVER_BYTES + max(keys, default=0),
        runners=max((needed_bytes(cells, runners) for cells in blocks), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
        connections={
            server: max((_connections(cells, server) for cells in blocks), default=0)
            for server in plan.settings.servers
        },
    )


def connections_of(shape: Shape) -> int:
    """Return how many connections one process opens at least: some APIs open more, one for each command in flight."""
    return max(min(shape.threads or 1, shape.max_total or shape.threads or 1), shape.connections or 1)


def needed_bytes(cells: Iterable[PlannedCell], runners: Mapping[str, RunnerSpec]) -> int:
    """Return how much memory the processes of these cells need that are there at the same time.

    Of cold starts that is one, of faults as many trials as run side by side.
    """
    sizes: defaultdict[Scenario | None, list[int]] = defaultdict(list)
    for cell in cells:
        size = runners[cell.client.runner].memory_mib * MIB
        kind = cell.scenario if cell.scenario in TOGETHER else None
        callers = max(0, cell.processes - 1)
        sizes[kind].append(size * cell.shape.processes if kind is None else size + callers * size // CALLER_PART)
    return sum(sum(sorted(found)[-TOGETHER[kind] :] if kind in TOGETHER else found) for kind, found in sizes.items())


def _connections(cells: Iterable[PlannedCell], server: str) -> int:
    return sum(connections_of(cell.shape) * cell.shape.processes for cell in cells if cell.server == server)
