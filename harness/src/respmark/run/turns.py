"""Who has which turn, and where in the workload: decided by the seed, the same for every run of it."""

import random
from collections.abc import Sequence
from typing import Final, TypeVar

Turn = TypeVar("Turn")
GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are (Knuth, TAOCP 3, 6.4)."""


def in_random_order(turns: Sequence[Turn], seed: str) -> list[Turn]:
    """Return the turns of one lap in an order of its own."""
    # Not for secrets: the same seed must give the same order.
    order = list(turns)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    return order


def first_command(number: int, commands: int) -> int:
    """Return where slice `number` begins in a workload of so many commands: the same for all clients of a lap."""
    return int(number * GOLDEN % 1 * commands)
