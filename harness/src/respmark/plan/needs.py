"""How much memory and disk space a plan needs, roughly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from respmark.plan.memory import MIB, needed_bytes
from respmark.plan.trial import Plan
from respmark.specs.runner import RunnerSpec
from respmark.workload.spec import WorkloadSpec

KEY_BYTES: Final = 160
"""What a server needs for a key besides its value: entry, names, the allocator's rounding. Seen: 120 to 150."""
SERVER_BYTES: Final = 64 * MIB
"""What a server needs without keys, but with connections."""
SLICE_BYTES: Final = 3_500
"""What a slice takes in a trial's file. Seen: 3,000 in the published run, including latencies."""
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


def needs(plan: Plan, runners: Mapping[str, RunnerSpec]) -> Needs:
    """Return how much memory and disk space a plan needs."""
    blocks = [[trial.cell for trial in block.trials] for block in plan.rounds]
    keys = (sum(map(_keys_bytes, plan.settings.workloads_of(cells))) for cells in blocks)
    return Needs(
        server=SERVER_BYTES + max(keys, default=0),
        runners=max((needed_bytes(cells, runners) for cells in blocks), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
    )


def _keys_bytes(workload: WorkloadSpec) -> int:
    """Return how much memory a server needs for a workload's keys."""
    return workload.preload_keys * (round(workload.sizes.mean_bytes) + KEY_BYTES)
