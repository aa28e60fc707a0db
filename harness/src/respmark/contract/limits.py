"""How long runners wait and how often they fail before they give up: the same in every language.

Runners have these numbers as constants; their own tests hold them against `golden/limits.json`.
"""

from typing import Final

FAILURES_IN_A_ROW: Final = 25
"""Failed units of one thread or task, one after the other, and the target is lost."""
SILENCE_MS: Final = 10_000
"""So long in a slice without a unit that succeeds, whether units fail or do not come back, and the target is lost."""
POOL_WAIT_MS: Final = 3_000
"""A thread or task waits at most so long for a connection of a pool; then its unit has failed."""

LIMITS: Final = {
    "failures_in_a_row": FAILURES_IN_A_ROW,
    "silence_ms": SILENCE_MS,
    "pool_wait_ms": POOL_WAIT_MS,
}
