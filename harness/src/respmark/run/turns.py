"""Where in the workload a slice begins."""

from typing import Final

GOLDEN: Final = 0.6180339887498949
"""Multiples of it modulo 1 spread evenly, however many there are (Knuth, TAOCP 3, 6.4)."""


def first_command(number: int, commands: int) -> int:
    """Return where slice `number` begins in a workload of `commands` commands: the same for all clients of a lap."""
    return int(number * GOLDEN % 1 * commands)
