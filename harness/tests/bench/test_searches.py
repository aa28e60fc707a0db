"""A search names the right release at least nineteen times in twenty, and none where none changed."""

from typing import Final

import pytest

from bench.searches import SITUATIONS, drawn, recorded, simulate

SEARCHES: Final = 20
RIGHT: Final = 19


@pytest.mark.parametrize("situation", list(SITUATIONS)[:3])
def test_searches_are_right(situation: str) -> None:
    """With rounds as wide as those of the published run."""
    assert simulate(SITUATIONS[situation], drawn, SEARCHES, seed=1).right >= RIGHT


def test_searches_are_right_with_recorded_rounds() -> None:
    """Those of a client against itself, of which one release is made slower by 15 %."""
    found = simulate(SITUATIONS["one is slower by 15 %"], recorded("client_cpu", "redis-py"), SEARCHES, seed=1)
    assert found.right >= RIGHT
