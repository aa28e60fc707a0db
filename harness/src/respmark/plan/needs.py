"""What a plan needs of memory and disk, about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from respmark.plan.memory import MIB, needed_bytes
from respmark.plan.trial import Plan
from respmark.specs.runner import RunnerSpec

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
    """With the workload's keys in it."""
    runners: int
    """The processes of the largest block."""
    disk: int
    """The run's folder."""


def needs(plan: Plan, runners: Mapping[str, RunnerSpec]) -> Needs:
    """Return what a plan needs."""
    workload = plan.settings.workload
    return Needs(
        server=SERVER_BYTES + workload.preload_keys * (round(workload.sizes.mean_bytes) + KEY_BYTES),
        runners=max((needed_bytes((t.cell for t in block.trials), runners) for block in plan.rounds), default=0),
        disk=len(plan.trials) * (TRIAL_BYTES + plan.settings.laps * SLICE_BYTES),
    )
