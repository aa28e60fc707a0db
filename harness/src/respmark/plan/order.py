"""A random order that depends only on a seed: every run with the same seed has the same order."""

import random
from collections.abc import Sequence
from typing import TypeVar

Turn = TypeVar("Turn")


def in_random_order(turns: Sequence[Turn], seed: str) -> list[Turn]:
    """Return a lap's participants, or a round's blocks, in the random order in which they take turns."""
    # Not for secrets: the same seed must give the same order.
    order = list(turns)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    return order
