"""How long a plan takes."""

from typing import Final

from respmark.plan.trial import BlockRound, Plan

START_S: Final = 0.5
"""What a trial takes to start, connect, verify and end, with others starting beside it. Seen: 0.3 to 0.8 s."""
WARMUP_S: Final = 0.7
"""What a client works before it is steady. Seen: 0.4 s, and 1 to 2 s where code is compiled while it runs."""
TURN_S: Final = 0.011
"""What a slice takes beside its work: orders, answers, the server's counters, and seeing that the others are quiet."""


def block_estimate_s(plan: Plan, block: BlockRound) -> float:
    """Return about how long one round of a block takes, in seconds."""
    settings = plan.settings
    laps_s = settings.laps * (settings.lead_in_s + settings.slice_s + TURN_S)
    return len(block.trials) * (START_S + min(WARMUP_S, settings.warmup_limit_s) + laps_s)


def estimate_s(plan: Plan) -> float:
    """Return about how long the plan takes, in seconds, without preloading a large key space."""
    return sum(block_estimate_s(plan, block) for block in plan.rounds)
