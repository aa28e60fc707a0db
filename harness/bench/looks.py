"""How often intervals are right in runs that go on until these are narrow (`--until`): a simulation.

    .build/harness/bin/python harness/bench/looks.py --repetitions 2000

Rounds are drawn from a normal distribution. After each look come as many rounds as the schedule of `--until` would
measure, until Student's interval is as narrow as wanted; then the true value is in it, or not.
"""

import math
import sys

import cyclopts
import numpy as np
import scipy

from respmark.cli.until import more_rounds
from respmark.console import write_out
from respmark.figures.estimate import CONFIDENCE

WANTED = 0.03
MOST_ROUNDS = 400
"""Where the budget is spent."""
SPREADS = (0.03, 0.05, 0.08, 0.12, 0.2, 0.3)
"""Standard deviations between rounds: from some that a few rounds are enough for, to one for which none are."""


def is_covered(draw: np.random.Generator, spread: float, confidence: float, first: int) -> bool:
    """Measure until the interval is narrow; return whether the true value, 0, is in it."""
    values, rounds = draw.normal(0, spread, MOST_ROUNDS), first
    while True:
        quantile = float(scipy.stats.t.ppf((1 + confidence) / 2, rounds - 1))
        half_width = quantile * float(values[:rounds].std(ddof=1)) / math.sqrt(rounds)
        if half_width <= WANTED or rounds == MOST_ROUNDS:
            return abs(float(values[:rounds].mean())) <= half_width
        rounds = min(MOST_ROUNDS, rounds + more_rounds(rounds, half_width, WANTED))


def looks(*, repetitions: int = 2000, seed: int = 1) -> None:
    """Print the coverage of intervals that are corrected for one look and for two, after three first rounds and six."""
    draw = np.random.default_rng(seed)
    lines = [f"| first rounds | looks corrected for | {' | '.join(f'{one:.0%}' for one in SPREADS)} |"]
    lines.append(f"| ---: | ---: |{' ---: |' * len(SPREADS)}")
    for first in (3, 6):
        for corrected in (1, 2):
            confidence = 1 - (1 - CONFIDENCE) / corrected
            shares = (
                sum(is_covered(draw, spread, confidence, first) for _ in range(repetitions)) / repetitions
                for spread in SPREADS
            )
            lines.append(f"| {first} | {corrected} | {' | '.join(f'{share:.1%}' for share in shares)} |")
    write_out("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(cyclopts.run(looks))
