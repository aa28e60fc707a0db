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


def verdict(pairs: list[Ratios]) -> Verdict:
    """Return the medians over pairs with their intervals."""
    return Verdict(
        median_interval([pair.rps for pair in pairs]), median_interval([pair.cpu_per_command for pair in pairs])
    )
