"""Estimators on clients against themselves: simulated ones, whose truth is known."""

import math
import random
from itertools import product
from pathlib import Path

import numpy as np

from bench.estimators import (
    ESTIMATORS,
    IN_USE,
    Copies,
    Observation,
    read,
    tallies,
    write,
)

BLOCK = ("lib", "sync", 1)
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


def observations(copies: int = 2, rounds: int = 2) -> list[Observation]:
    return [
        Observation(BLOCK, copy, number, lap, (1000.0 * copy, 1.0, 2.5 + lap, 2.0, 3.0 + number, 2.0))
        for copy, number, lap in product(range(1, copies + 1), range(1, rounds + 1), (1, 2))
    ]


def test_the_file_holds_what_was_written(tmp_path: Path) -> None:
    """The same slices, in the same bytes each time."""
    one, other = tmp_path / "new" / "aa.csv.gz", tmp_path / "again.csv.gz"
    write(observations(), one)
    write(read(one), other)
    assert list(read(one)) == observations()
    assert one.read_bytes() == other.read_bytes()


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
