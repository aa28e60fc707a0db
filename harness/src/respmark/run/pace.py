"""How long rounds of blocks take: as the plan's estimate says, corrected by what blocks took on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from respmark.plan.estimate import EstimateBlock
from respmark.plan.plan import Block, Settings
from respmark.specs.runner import RunnerSpec

ESTIMATED_S: Final = 60.0
"""The plan's estimate counts as much as blocks of this length that took as long as was estimated."""


@dataclass
class Pace:
    """What blocks took so far, and so how long the next ones take."""

    settings: Settings
    runners: Mapping[str, RunnerSpec]
    estimate_s: EstimateBlock
    """Estimates how long a round of a block takes."""
    _last_s: dict[str, float] = field(default_factory=dict)
    """How long the last round of each block took."""
    _estimated_s: float = 0.0
    _took_s: float = 0.0

    def block_s(self, block: Block) -> float:
        """Return how long a round of a block takes: as long as its last one, or as estimated if it had none."""
        slowness = (self._took_s + ESTIMATED_S) / (self._estimated_s + ESTIMATED_S)
        return self._last_s.get(block.name, self.estimate_s(self.settings, block, self.runners) * slowness)

    def learn(self, block: Block, took_s: float) -> None:
        """Learn how long a round of a block took."""
        self._last_s[block.name] = took_s
        self._took_s += took_s
        self._estimated_s += self.estimate_s(self.settings, block, self.runners)
