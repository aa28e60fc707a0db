"""How long a plan takes, roughly."""

from collections.abc import Callable, Mapping
from typing import Final

from respmark.plan.plan import Block, Plan, Settings
from respmark.specs.runner import RunnerSpec

KEY_S: Final = 2e-6
"""What it takes to write a key and to remove it again, besides its value. Seen: 2.1 microseconds with three bytes."""
VALUE_BYTE_S: Final = 5e-9
"""What each byte of its value adds. Seen: 7 microseconds in all with a value of 1 KiB."""
EstimateBlock = Callable[[Settings, Block, Mapping[str, RunnerSpec]], float]
"""Returns roughly how long one round of a block takes, in seconds, without the writing of keys."""


def estimate_s(plan: Plan, runners: Mapping[str, RunnerSpec], block_s: EstimateBlock) -> float:
    """Return roughly how long the plan's rounds take, in seconds."""
    return writing_s(plan) + sum(block_s(plan.settings, block, runners) for block in plan.rounds)


def writing_s(plan: Plan) -> float:
    """Return roughly how long writing keys takes, in seconds: where a block has other workloads than the one before."""
    blocks = [{(trial.cell.server, trial.cell.workload) for trial in block.trials} for block in plan.rounds]
    written = (places for places, before in zip(blocks, [set(), *blocks], strict=False) if places != before)
    specs = (plan.settings.workloads[workload] for places in written for _, workload in places)
    return sum(one.preload_keys * (KEY_S + VALUE_BYTE_S * one.sizes.mean_bytes) for one in specs)
