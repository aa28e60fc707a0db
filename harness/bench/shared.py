"""How often clients that are the same are claimed to differ if the blocks of a round share their processes.

    cd harness && ../.build/harness/bin/python -m bench.shared --runs 1000

A process is somewhat faster or slower than another of the same client, in every block of its round: what one block
says of it, the others repeat. Runs of clients that are all the same are simulated, with processes that live for a round
and with fresh ones for each block, and compared as in a report (`figures.compare`). Every difference that is shown is
false. Prints Markdown; the same seed gives the same table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cyclopts
import numpy as np
import numpy.typing as npt

from respmark.escaping import markdown_row
from respmark.figures.compare import LapSeries, Rounds, prior_of, ratio_of, rounds_of, with_claims

CLIENTS: Final = 6
BLOCKS: Final = 7
"""As many as `quick` has."""
LAPS: Final = 8
OF_LAPS: Final = 0.10
"""Standard deviation of a slice, as a share."""
OF_PROCESSES: Final = (0.0, 0.02, 0.05)
"""Standard deviations of processes, as shares."""
LIFETIMES: Final = {"round": True, "block": False}
"""How long a process lives, and whether the blocks of a round share it."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FalseClaims:
    """What was claimed although clients are the same."""

    comparisons: float
    """Share of comparisons with a difference shown."""
    families: float
    """Share of blocks with any."""
    covered: float
    """Share of intervals that contain 1."""


def paces(rounds: int, of_processes: float, dice: np.random.Generator, *, is_shared: bool) -> Floats:
    """Return the logarithm of each slice's pace: shape (blocks, clients, rounds, laps)."""
    processes = dice.normal(0, of_processes, (1 if is_shared else BLOCKS, CLIENTS, rounds, 1))
    return processes + dice.normal(0, OF_LAPS, (BLOCKS, CLIENTS, rounds, LAPS))


def compared(block: Floats) -> Iterator[Rounds]:
    """Yield the comparisons of a block's clients with its first one."""
    _, rounds, laps = block.shape
    places = np.array([(number, lap) for number in range(rounds) for lap in range(laps)], dtype=np.int64)
    first, *others = (
        LapSeries(places, np.column_stack([np.exp(one.ravel()), np.ones(rounds * laps)])) for one in block
    )
    yield from (found for other in others if (found := rounds_of(other, first)) is not None)


def simulate(rounds: int, of_processes: float, runs: int, seed: int, *, is_shared: bool) -> FalseClaims:
    """Return what is claimed in runs of clients that are the same."""
    dice = np.random.default_rng(seed)
    shown: list[Sequence[bool]] = []
    covered: list[bool] = []
    for _ in range(runs):
        blocks = [list(compared(block)) for block in paces(rounds, of_processes, dice, is_shared=is_shared)]
        prior = prior_of(one for block in blocks for one in block)
        for block in blocks:
            ratios = with_claims({number: ratio_of(one, prior) for number, one in enumerate(block)}).values()
            shown.append([one.shown for one in ratios])
            covered += [one.low <= 1 <= one.high for one in ratios if one.low is not None and one.high is not None]
    return FalseClaims(float(np.mean(shown)), float(np.mean([any(one) for one in shown])), float(np.mean(covered)))


def shared(*, runs: int = 300, rounds: int = 6, seed: int = 1) -> None:
    """Count the differences that are claimed between clients that are the same.

    Args:
        runs: How many runs are simulated.
        rounds: Rounds of a run.
        seed: Decides what is drawn.
    """
    heads = ("processes differ by", "a process lives for a", "false claims", "blocks with one", "intervals with 1")
    print("\n".join([markdown_row(heads), markdown_row(["---:", "---", "---:", "---:", "---:"])]))
    for of_processes in OF_PROCESSES:
        for lifetime, is_shared in LIFETIMES.items():
            found = simulate(rounds, of_processes, runs, seed, is_shared=is_shared)
            shares = (found.comparisons, found.families, found.covered)
            print(markdown_row([f"{of_processes:.0%}", lifetime, *(f"{share:.1%}" for share in shares)]))


if __name__ == "__main__":
    cyclopts.run(shared)
