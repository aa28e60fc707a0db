"""How long a plan takes."""

from collections.abc import Mapping
from typing import Final

from respmark.plan.trial import BlockRound, Plan, Settings, Trial
from respmark.specs.runner import RunnerSpec

PROCESS_S: Final = 0.1
"""What each further process of a trial adds to start and end; most of that overlaps with the other processes."""
TURN_S: Final = 0.013
"""What a slice takes besides its work: orders, answers, the server's counters, and waiting until others are quiet.
Seen: 0.004 s on a quiet machine, 0.015 s on a busy one."""


def block_estimate_s(plan: Plan, block: BlockRound, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds."""
    return sum(_trial_s(plan.settings, trial, runners[trial.cell.client.runner]) for trial in block.trials)


def estimate_s(plan: Plan, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long the plan takes, in seconds, not counting the preload of a large key space."""
    return sum(block_estimate_s(plan, block, runners) for block in plan.rounds)


def _trial_s(settings: Settings, trial: Trial, runner: RunnerSpec) -> float:
    start_s = runner.start_s + PROCESS_S * (trial.cell.shape.processes - 1)
    laps = settings.laps + (1 if settings.warmup_limit_s else 0)  # and one to settle
    laps_s = laps * (settings.lead_in_s + settings.slice_s + TURN_S)
    return start_s + min(runner.warm_up_s, settings.warmup_limit_s) + laps_s
