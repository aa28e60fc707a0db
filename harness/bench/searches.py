"""How often a search for the release that changed a figure is right: a simulation (`respmark bisect`).

    cd harness && ../.build/harness/bin/python -m bench.searches --searches 200

Releases are searched whose paces are known, with the tests and the search that the command uses. What a round says is
drawn: from normal distributions that are as wide as those of the published run, or from recorded rounds of clients
against themselves (harness/bench/data/aa.csv.gz), in which some copies are made slower. Prints Markdown; the same seed
gives the same table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Final

import cyclopts
import numpy as np

from bench.estimators import METRICS, Copies, blocks_of, read
from respmark.bisect.search import SearchResult, find_steps
from respmark.bisect.sequential import Pair, SequentialTest
from respmark.escaping import markdown_row
from respmark.figures.estimate import LapSeries, LogRatios, Part, log_ratios

RELEASES: Final = 24
AT_LEAST: Final = 0.05
SLOWER: Final = 1 / 1.15
LAPS: Final = 14
OF_LAPS: Final = 0.142
"""Standard deviation of a ratio between laps, in log units: of RPS in the published run of `quick`."""
OF_PROCESSES: Final = 0.031
"""The same between fresh processes."""
SITUATIONS: Final[Mapping[str, Mapping[int, float]]] = {
    "none is slower": {},
    "one is slower by 15 %": {9: SLOWER},
    "two are slower by 15 %": {7: SLOWER, 17: SLOWER},
    "one is slower by 15 %, a later one faster by 20 %": {7: SLOWER, 17: 1.2},
}
"""What each release does to the pace, by its place."""
RECORDED: Final = Path(__file__).parent / "data" / "aa.csv.gz"

Lap = dict[int, Part]
"""What one version contributes to one round, by lap."""
Draw = Callable[[np.random.Generator, int], list[Lap]]
"""Draws a round of so many versions that are the same."""


def drawn(dice: np.random.Generator, versions: int) -> list[Lap]:
    """Draw a round from normal distributions."""
    processes = dice.normal(0, OF_PROCESSES / np.sqrt(2), (versions, 1))
    paces = np.exp(processes + dice.normal(0, OF_LAPS / np.sqrt(2), (versions, LAPS)))
    return [{lap: (float(pace), 1.0) for lap, pace in enumerate(row)} for row in paces]


def recorded(metric: str, client: str) -> Draw:
    """Return what draws recorded rounds of one client against itself."""
    blocks = blocks_of(read(RECORDED), list(METRICS).index(metric))
    rounds: list[Copies] = [one for place, block in blocks.items() if place[0] == client for one in block]

    def draw(dice: np.random.Generator, versions: int) -> list[Lap]:
        copies = rounds[dice.integers(len(rounds))]
        return [copies[place] for place in dice.choice(len(copies), versions, replace=False)]

    return draw


@dataclass
class SimulatedOracle:
    """Measures versions that are the numbers of their places."""

    paces: Sequence[float]
    """Of each version."""
    draw: Draw
    dice: np.random.Generator
    rounds: int = 0
    """How many rounds all questions took together."""

    def __call__(self, versions: Sequence[str], test: SequentialTest) -> Mapping[str, str]:
        """Draw as many rounds as the test asks for."""
        measured, parts = 0, [dict[tuple[int, int], Part]() for _ in versions]
        found: dict[Pair, LogRatios] = {}
        while more := test.more(measured, found):
            for number in range(measured, measured + more):
                for version, mine, laps in zip(versions, parts, self.draw(self.dice, len(versions)), strict=True):
                    pace = self.paces[int(version)]
                    mine |= {(number, lap): (amount * pace, divisor) for lap, (amount, divisor) in laps.items()}
            measured += more
            series = dict(zip(versions, map(LapSeries.of, parts), strict=True))
            compared = {pair: log_ratios(series[pair[1]], series[pair[0]]) for pair in test.pairs}
            found = {pair: rounds for pair, rounds in compared.items() if rounds is not None}
        self.rounds += measured
        return {}


@dataclass
class Tally:
    """What searches of one situation found."""

    right: int = 0
    """Searches that named every step, and nothing else."""
    wrong: int = 0
    """Searches that named a release that changed nothing."""
    missed: int = 0
    """Searches that named fewer releases than changed something."""
    rounds: list[int] = field(default_factory=list)
    questions: list[int] = field(default_factory=list)

    def add(self, found: SearchResult, changed: Mapping[int, float], rounds: int) -> None:
        """Count one search."""
        true = {str(place) for place in changed}
        named = {step.newer for step in found.steps}
        self.right += named == true
        self.wrong += bool(named - true)
        self.missed += bool(true - named)
        self.rounds.append(rounds)
        self.questions.append(len(found.questions))


def simulate(changed: Mapping[int, float], draw: Draw, searches: int, seed: int, releases: int = RELEASES) -> Tally:
    """Return what came of searches among releases of which these change the pace."""
    dice, tally = np.random.default_rng(seed), Tally()
    paces = list(accumulate((changed.get(place, 1.0) for place in range(releases)), lambda pace, by: pace * by))
    for _ in range(searches):
        oracle = SimulatedOracle(paces, draw, dice)
        found = find_steps([str(place) for place in range(releases)], oracle, AT_LEAST)
        tally.add(found, changed, oracle.rounds)
    return tally


def searches(*, searches: int = 200, seed: int = 1, client: str = "redis-py") -> None:
    """Count how often searches are right.

    Args:
        searches: How many searches of each kind.
        seed: Decides what is drawn.
        client: Whose recorded rounds are used.
    """
    heads = ("rounds are", "releases", "right", "a wrong one named", "one missed", "questions", "rounds")
    print("\n".join([markdown_row(heads), markdown_row(["---", "---", *["---:"] * 5])]))
    draws = {
        "drawn": drawn,
        **{f"recorded, {metric}": recorded(metric, client) for metric in ("rps", "client_cpu")},
    }
    for name, draw in draws.items():
        for situation, changed in SITUATIONS.items():
            tally = simulate(changed, draw, searches, seed)
            shares = (f"{count / searches:.1%}" for count in (tally.right, tally.wrong, tally.missed))
            spent = (f"{median(numbers):.0f}" for numbers in (tally.questions, tally.rounds))
            print(markdown_row([name, situation, *shares, *spent]))


if __name__ == "__main__":
    cyclopts.run(searches)
