"""Clients that are the same are seldom claimed to differ, however long their processes live."""

import math

import pytest

from bench.shared import BLOCKS, LIFETIMES, simulate
from respmark.figures.compare import CONFIDENCE

RUNS = 30
ALLOWED = 1 - CONFIDENCE
BY_CHANCE = 2 * math.sqrt(ALLOWED * CONFIDENCE / (RUNS * BLOCKS))
"""Two standard errors of a share of the blocks that are drawn."""


@pytest.mark.parametrize("is_shared", LIFETIMES.values(), ids=LIFETIMES)
@pytest.mark.parametrize("rounds", [3, 6])
def test_few_comparisons_of_a_client_with_itself_claim_a_difference(rounds: int, *, is_shared: bool) -> None:
    """At most one in twenty, and so do blocks, although those of a round that share processes repeat each other."""
    found = simulate(rounds, 0.05, RUNS, seed=1, is_shared=is_shared)
    assert found.comparisons <= ALLOWED
    assert found.families <= ALLOWED + BY_CHANCE
    assert found.covered > CONFIDENCE - 0.02
