"""Oracles that know what each version's figure is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from respmark.bisect.sequential import SequentialTest
from respmark.figures.estimate import LogRatios

LAPS = 10
NOISE = 0.03
"""Standard deviation of a round's ratio."""


def rounds_of(ratio: float, count: int, dice: np.random.Generator, noise: float = NOISE) -> LogRatios:
    """Return rounds whose ratios lie around this one."""
    spread = dice.normal(0, noise * math.sqrt(LAPS), count * LAPS)
    return LogRatios(dice.normal(math.log(ratio), noise, count), np.full(count, LAPS), spread)


@dataclass
class Oracle:
    """Measures versions whose figures are known."""

    figures: Mapping[str, float]
    unmeasurable: Mapping[str, str] = field(default_factory=dict)
    noise: float = NOISE
    dice: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, versions: Sequence[str], test: SequentialTest) -> Mapping[str, str]:
        """Draw as many rounds as the test asks for."""
        self.asked.append(tuple(versions))
        if missing := {name: self.unmeasurable[name] for name in versions if name in self.unmeasurable}:
            return missing
        measured = 0
        found: dict[tuple[str, str], LogRatios] = {}
        while more := test.more(measured, found):
            measured += more
            found = {
                (older, newer): rounds_of(self.figures[newer] / self.figures[older], measured, self.dice, self.noise)
                for older, newer in test.pairs
            }
        return {}
