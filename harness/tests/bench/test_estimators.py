"""Estimators on clients against themselves: simulated ones, whose truth is known."""

import math
import random

import numpy as np

from bench.estimators import (
    ESTIMATORS,
    IN_USE,
    Copies,
    tallies,
)

ANY_RATES = ("t over laps, rounds ignored", "bootstrap over rounds")


def simulated(blocks: int, rounds: int, process_sd: float, laps: int = 10) -> list[list[Copies]]:
    rng = np.random.Generator(np.random.PCG64(7))
    return [
        [
            [
                {lap: (math.exp(luck + noise), 1.0) for lap, noise in enumerate(rng.normal(0, 0.05, laps))}
                for luck in rng.normal(0, process_sd, 6)
            ]
            for _ in range(rounds)
        ]
        for _ in range(blocks)
    ]


def test_what_is_known_of_estimators_is_found() -> None:
    """Where processes differ, ignoring rounds claims falsely; moderation claims hardly ever, and sees more than a t."""
    dice = random.Random(2)  # noqa: S311 - no secret
    found = tallies(simulated(12, 3, 0.02), 3, 8, dice)
    false = {name: tally.false_families / tally.families for name, tally in found.items()}
    assert set(found) == set(ESTIMATORS)
    assert false[IN_USE] < 0.1
    assert all(false[name] > 0.2 for name in ANY_RATES)
    assert found[IN_USE].seen[0.10] > found["t over rounds"].seen[0.10]
    assert found[IN_USE].seen[0.10] >= found[IN_USE].seen[0.03]
