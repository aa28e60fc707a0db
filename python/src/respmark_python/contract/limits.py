"""When a runner gives up: the contract's limits, the same in every language."""

from typing import Final

FAILURES_IN_A_ROW: Final = 25
"""So many failed units in a row of one thread or task mean that the target is lost."""
SILENCE_NS: Final = 10_000_000_000
"""So do failures in a row that took so long: a library's own retries can make 25 failures last minutes."""
POOL_WAIT_S: Final = 3
"""Whoever waits for a connection of a pool waits at most so long."""
