"""How long the trials of faults take, and how many run side by side."""

from collections.abc import Mapping
from typing import Final

from respmark.contract.trial import Shape
from respmark.plan.faults import MOST_TOGETHER
from respmark.plan.plan import Block, Settings
from respmark.specs.faults import FAILOVERS, lasts_s, shape_of
from respmark.specs.runner import RunnerSpec

HEALTHY_S: Final = 3.0
"""How long all is well before a fault begins."""
WARM_S: Final = 1.0
"""So much of that is not looked at: a library's first commands take longer."""
RECOVERY_S: Final = 20.0
"""The longest that is waited for a client after a fault,"""
FAILOVER_RECOVERY_S: Final = 75.0
"""and after a failover, which some clients notice by what they ask every 30 or 60 s."""
BURST: Final = 2
"""How many commands of each caller are due together in the beginning: pools then have their connections."""
BURST_S: Final = 0.1
"""How far they are apart."""
BUSY_PERCENT: Final = 50.0
"""Trials that ran side by side do not count if the machine's processors were busier than that."""
STAGGERED_S: Final = 0.25
"""By how much each of them begins later than the one before: not all reconnect at the same moment."""
USUAL_RECOVERY_S: Final = 3.0
"""Until a client has recovered, of those that do, for estimates; with the end of its process."""
MANY: Final = 4
"""Among so many there is mostly one that does not recover, and is watched to the end."""
SERVER_S: Final = 0.5
"""What a server and a relay of its own take to start."""
GROUP_S: Final = 6.5
"""What a group of servers takes to start and to end: 92 failovers took 23 minutes a round on two processors."""
USUAL_PROMOTION_S: Final = 4.0
"""Until a replica has taken its primary's place, with the time-out that nodes are given here."""


def goes_on_s(shape: Shape) -> float:
    """Return the longest that callers go on, in seconds."""
    return HEALTHY_S + lasts_s(shape) + recovery_s(shape)


def recovery_s(shape: Shape) -> float:
    """Return how long a client is watched at most when its fault is over, in seconds; 0: it does not end."""
    if shape.fault in FAILOVERS:
        return FAILOVER_RECOVERY_S
    return RECOVERY_S if shape_of(shape).is_mended else 0.0


def estimate_s(settings: Settings, block: Block, runners: Mapping[str, RunnerSpec]) -> float:
    """Return roughly how long one round of a block takes, in seconds."""
    del settings
    trials = list(block.trials)
    groups = [trials[begin : begin + MOST_TOGETHER] for begin in range(0, len(trials), MOST_TOGETHER)]
    return sum(_group_s([trial.cell.shape for trial in group]) for group in groups) + sum(
        _server_s(trial.cell.shape) + runners[trial.cell.client.runner].start_s for trial in trials
    )


def _group_s(shapes: list[Shape]) -> float:
    has_many = len(shapes) >= MANY
    longest_s = max(_usually_lasts_s(shape) + (recovery_s(shape) if has_many else 0.0) for shape in shapes)
    return HEALTHY_S + longest_s + USUAL_RECOVERY_S + len(shapes) * STAGGERED_S


def _usually_lasts_s(shape: Shape) -> float:
    return min(USUAL_PROMOTION_S, lasts_s(shape)) if shape.fault in FAILOVERS else lasts_s(shape)


def _server_s(shape: Shape) -> float:
    return GROUP_S if shape.fault in FAILOVERS else SERVER_S
