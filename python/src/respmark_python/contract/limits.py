"""When a runner gives up: the contract's limits, the same in every language."""

from typing import Final

FAILURES_IN_A_ROW: Final = 25
"""The target is lost after this many failed units in a row of one thread or task."""
SILENCE_NS: Final = 10_000_000_000
"""It is also lost after failures in a row that took this long: a library's retries can make 25 last minutes."""
POOL_WAIT_S: Final = 3
"""A unit waits at most this long for a connection from a pool."""
