"""How long a plan takes."""

from typing import Final

from respmark.plan.trial import Plan, Trial

OVERHEAD_S: Final = 0.8
"""What a trial takes beside warm-up and window: state, start, verification, end. Seen: 0.5 to 1 s."""


def trial_estimate_s(plan: Plan, trial: Trial) -> float:
    """Return about how long one trial of the plan takes, in seconds."""
    return plan.settings.warmup_for(trial.cell.client) + plan.settings.measure_s + OVERHEAD_S


def estimate_s(plan: Plan) -> float:
    """Return about how long the plan takes, in seconds, without preloading a large key space."""
    return sum(trial_estimate_s(plan, trial) for trial in plan.trials)
