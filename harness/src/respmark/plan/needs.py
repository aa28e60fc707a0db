"""What a plan needs: memory, disk and connections."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from respmark.contract.trial import Scenario, Shape
from respmark.plan.faults import MOST_TOGETHER
from respmark.plan.plan import Plan, PlannedCell
from respmark.specs.runner import RunnerSpec
from respmark.specs.server import ServerSpec, SpawnedServer, processes_of

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

    servers: Mapping[str, int]
    """Memory of all nodes of each server, by name: with the keys of the block that needs the most, as it holds those of
    one block at a time, and with every copy of them."""
    runners: int
    """Memory of the processes of the largest block."""
    disk: int
    """Size of the run's folder."""
    connections: Mapping[str, int] = field(default_factory=dict)
    """The most connections of a block to all nodes of each server, by name: clients keep theirs while they wait for
    their turn."""

    @property
    def server(self) -> int:
        """Return the memory of all servers together."""
        return sum(self.servers.values())


def needs(plan: Plan, runners: Mapping[str, RunnerSpec], servers: Mapping[str, ServerSpec]) -> Needs:
    """Return what a plan needs; `servers` are its own, by name."""
    blocks = [[trial.cell for trial in block.trials] for block in plan.round(1)]
    return Needs(
        servers={name: _server_bytes(plan, blocks, name, spec) for name, spec in servers.items()},
        runners=max((needed_bytes(cells, runners) for cells in blocks), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
        connections={
            name: processes_of(spec) * max((_connections(cells, name) for cells in blocks), default=0)
            for name, spec in servers.items()
        },
    )


def _server_bytes(plan: Plan, blocks: Iterable[Sequence[PlannedCell]], name: str, spec: ServerSpec) -> int:
    """Return how much memory the nodes of a server need; each replica has all the keys of its primary."""
    here = ([cell for cell in cells if cell.server == name] for cells in blocks)
    workloads = (plan.settings.workloads_of(cells) for cells in here if cells)
    keys = (sum(one.preload_keys * (round(one.sizes.mean_bytes) + KEY_BYTES) for one in each) for each in workloads)
    copies = 1 + spec.replicas if isinstance(spec, SpawnedServer) else 1
    return SERVER_BYTES * processes_of(spec) + max(keys, default=0) * copies


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
