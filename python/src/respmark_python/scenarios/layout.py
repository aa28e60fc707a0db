"""A scenario's layout: how many commands a unit holds, and what one latency sample covers."""

from typing import Final

from respmark_python.contract.trial import Trial

DEPTH_IS_A_UNIT: Final = frozenset({"burst", "batch", "transaction"})
"""Units that hold `depth` commands; the others hold one."""


def sample_covers(trial: Trial) -> str:
    """Return what one latency sample of the trial covers."""
    names = {"batching": "batch", "transaction": "transaction", "new-connection": "connection"}
    return "burst" if trial.shape.window == "burst" else names.get(trial.scenario, "command")


def commands_per_unit(trial: Trial) -> int:
    """Return how many commands a unit holds."""
    return (trial.shape.depth or 1) if sample_covers(trial) in DEPTH_IS_A_UNIT else 1
