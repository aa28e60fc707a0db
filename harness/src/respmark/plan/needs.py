"""What a plan needs of memory and disk, about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from respmark.plan.memory import MIB, needed_bytes
from respmark.plan.trial import Plan
from respmark.specs.runner import RunnerSpec
from respmark.workload.spec import WorkloadSpec

KEY_BYTES: Final = 160
"""What a server takes for a key beside its value: entry, names, the allocator's rounding. Seen: 120 to 150."""
SERVER_BYTES: Final = 64 * MIB
"""A server without keys, with connections."""
SLICE_BYTES: Final = 3_500
"""A slice in a trial's file. Seen: 3,000 in the published run, latencies included."""
TRIAL_BYTES: Final = 20_000


@dataclass(frozen=True)
class Needs:
    """In bytes."""

    server: int
    """With the keys of the workloads of that block that needs most for them: those of others are not there."""
    runners: int
    """The processes of the largest block."""
    disk: int
    """The run's folder."""


def needs(plan: Plan, runners: Mapping[str, RunnerSpec]) -> Needs:
    """Return what a plan needs."""
    blocks = [[trial.cell for trial in block.trials] for block in plan.rounds]
    keys = (sum(map(_keys_bytes, plan.settings.workloads_of(cells))) for cells in blocks)
    return Needs(
        server=SERVER_BYTES + max(keys, default=0),
        runners=max((needed_bytes(cells, runners) for cells in blocks), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
    )


def _keys_bytes(workload: WorkloadSpec) -> int:
    """Return what a server takes for a workload's keys."""
    return workload.preload_keys * (round(workload.sizes.mean_bytes) + KEY_BYTES)
