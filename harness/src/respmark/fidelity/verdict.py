"""Whether the suite is faithful to a bare loop."""

from dataclasses import dataclass
from typing import Final

from respmark.fidelity.pairs import Ratios
from respmark.statistics.ratio import Interval, median_interval

RPS_TARGET: Final = 0.97
"""Suite/bare RPS should be at least this."""
CPU_TARGET: Final = 1.03
"""Suite/bare CPU per command should be at most this."""


@dataclass(frozen=True)
class Verdict:
    """One row of the fidelity table."""

    rps: Interval
    cpu_per_command: Interval

    @property
    def words(self) -> str:
        """Say what the intervals show: `met`, `falls short`, or `not shown` where they hold the target."""
        short = self.rps.high < RPS_TARGET or self.cpu_per_command.low > CPU_TARGET
        met = self.rps.low >= RPS_TARGET and self.cpu_per_command.high <= CPU_TARGET
        if short:
            return "falls short"
        return "met" if met else "not shown: more --pairs"


SAME: Final = 0.10
"""A container's figures within this of those of a process mean the same; docs/containers.md explains larger ones."""


def difference(found: Verdict) -> str:
    """Say whether a container's throughput and CPU per command are those of a process here."""
    intervals = (found.rps, found.cpu_per_command)
    if all(one.low >= 1 - SAME and one.high <= 1 + SAME for one in intervals):
        return f"the same within {SAME:.0%}"
    if any(one.high < 1 - SAME or one.low > 1 + SAME for one in intervals):
        return f"differs by more than {SAME:.0%}"
    return "not shown: more --pairs"


def verdict(pairs: list[Ratios]) -> Verdict:
    """Return the medians over pairs with their intervals."""
    return Verdict(
        median_interval([pair.rps for pair in pairs]), median_interval([pair.cpu_per_command for pair in pairs])
    )
