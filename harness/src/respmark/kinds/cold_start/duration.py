"""How long a round of a block of cold starts takes."""

from collections.abc import Mapping
from typing import Final

from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

UNMEASURED: Final = 1
"""Starts of each client before those that count: they bring its files into the system's cache."""


def estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds."""
    lap_s = sum(runners[trial.cell.client.runner].start_s for trial in block.trials)
    return (UNMEASURED + settings.laps) * lap_s
