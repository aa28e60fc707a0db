"""An order that a seed decides: the same for every run of it."""

import random
from collections.abc import Sequence
from typing import TypeVar

Turn = TypeVar("Turn")


def in_random_order(turns: Sequence[Turn], seed: str) -> list[Turn]:
    """Return what takes turns in an order of its own: that of a lap's slices, of a round's blocks."""
    # Not for secrets: the same seed must give the same order.
    order = list(turns)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    return order
