"""How long a plan takes."""

from collections.abc import Mapping
from typing import Final

from respmark.plan.trial import BlockRound, Plan, Settings
from respmark.specs.runner import RunnerSpec

PROCESS_S: Final = 0.1
"""What each further process of a trial adds to start and end; most of that overlaps with the other processes."""
TURN_S: Final = 0.009
"""What a slice takes besides its work: orders, answers, the server's counters, and waiting until others are quiet.
Seen: 0.008 s on average in the published run."""


def estimate_s(plan: Plan, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long the plan takes, in seconds, not counting the preload of a large key space."""
    return sum(block_estimate_s(plan, block, runners) for block in plan.rounds)


def block_estimate_s(plan: Plan, block: BlockRound, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds."""
    laps_s = plan.settings.laps * lap_estimate_s(plan.settings, block)
    return preparation_estimate_s(plan.settings, block, runners) + laps_s


def preparation_estimate_s(settings: Settings, block: BlockRound, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long everything but its laps takes in one round of a block, in seconds."""
    each = [(trial.cell.shape.processes, runners[trial.cell.client.runner]) for trial in block.trials]
    starts_s = sum(runner.start_s + PROCESS_S * (processes - 1) for processes, runner in each)
    return starts_s + sum(min(runner.warm_up_s, settings.warmup_limit_s) for _, runner in each)


def lap_estimate_s(settings: Settings, block: BlockRound) -> float:
    """Return roughly how long a lap of a block takes, in seconds, unless its units are long."""
    return len(block.trials) * (settings.lead_in_s + settings.slice_s + TURN_S)


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above
