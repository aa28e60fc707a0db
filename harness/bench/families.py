"""How often verdicts on claims are wrong: tables of claims are simulated whose truth is known.

    cd harness && ../.build/harness/bin/python -m bench.families --tables 4000

A table has as many claims as the guidance, each of one to five comparisons. An estimate is normal around the true
ratio; its error is estimated with the degrees of freedom of three rounds. Comparisons of a claim are correlated,
because they are of the same processes; so are claims, because many have a client in common. `figures.families` judges
them; for comparison, so does Holm's procedure over all comparisons of the table. Prints Markdown; the same seed gives
the same table.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cyclopts
import numpy as np
from scipy.special import stdtr

from respmark.escaping import markdown_row
from respmark.figures.families import FALSE_DISCOVERY_RATE, ClaimTest, ComparisonTest, holm, level_of

CLAIMS: Final = 46
COMPARISONS: Final = (1, 1, 2, 2, 2, 3, 5)
"""How many comparisons a claim may have; each number is as likely."""
DEGREES: Final = 8.0
"""Of freedom of an estimate's error: three rounds, and what the prior counts for."""
WITHIN: Final = 0.5
"""Share of an estimate's variance that the comparisons of a claim have in common."""
ACROSS: Final = 0.3
"""Share that all comparisons of a table have in common."""
WIDE: Final = 5.0
"""Half the distance of two-sided bounds, in standard errors."""
SIZES: Final = (1.0, 2.0, 4.0, 8.0)
"""How far a ratio may lie from its bound, in standard errors; each is as likely."""


class Truth(StrEnum):
    """What is true of a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    AT_THE_BOUND = "at the bound"
    """Every ratio is exactly at its bound: neither verdict is right."""
    ONE_AT_THE_BOUND = "one at the bound"
    """One ratio is exactly at its bound, the others lie far inside: neither verdict is right."""


SITUATIONS: Final[Mapping[str, tuple[Truth, ...]]] = {
    "nothing true: every ratio at its bound": (Truth.AT_THE_BOUND,),
    "nothing true: one ratio of each claim at its bound": (Truth.ONE_AT_THE_BOUND,),
    "half at the bound, a quarter holds, a quarter does not": (
        *(Truth.AT_THE_BOUND, Truth.ONE_AT_THE_BOUND),
        *(Truth.HOLDS, Truth.DOES_NOT_HOLD),
    ),
    "half holds, half does not": (Truth.HOLDS, Truth.DOES_NOT_HOLD),
}
"""The truths that a table's claims take in turn."""


@dataclass(frozen=True)
class Score:
    """What one procedure made of a situation's tables."""

    false_tables: float
    """Share of tables with a wrong verdict."""
    false_share: float
    """Share of a table's verdicts that are wrong, on average; 0 for a table without any."""
    decided: float
    """Share of claims with a right verdict."""


def estimates(claims: int, dice: np.random.Generator) -> list[list[tuple[float, float]]]:
    """Return the estimates of a table's claims: deviation from the truth and estimated error, in standard errors."""
    common = dice.standard_normal()
    found = []
    for _ in range(claims):
        count = int(dice.choice(COMPARISONS))
        of_claim = math.sqrt(ACROSS) * common + math.sqrt(WITHIN) * dice.standard_normal()
        own = math.sqrt(1 - ACROSS - WITHIN) * dice.standard_normal(count)
        # Some claims say the opposite of others about the same client.
        deviations = dice.choice((-1, 1)) * (of_claim + own)
        errors = np.sqrt(dice.chisquare(DEGREES, count) / DEGREES)
        found.append(list(zip(deviations.tolist(), errors.tolist(), strict=True)))
    return found


def distances(truth: Truth, count: int, dice: np.random.Generator) -> list[float]:
    """Return how far each true ratio of a claim lies inside its bound, in standard errors; negative: outside."""
    sizes = [float(size) for size in dice.choice(SIZES, count)]
    first = [number == 0 for number in range(count)]
    match truth:
        case Truth.HOLDS:
            return sizes
        case Truth.DOES_NOT_HOLD:
            return [
                -size if is_first or dice.random() < 1 / 2 else size
                for size, is_first in zip(sizes, first, strict=True)
            ]
        case Truth.AT_THE_BOUND:
            return [0.0] * count
        case Truth.ONE_AT_THE_BOUND:
            return [0.0 if is_first else WIDE for is_first in first]


def claim_test(truth: Truth, found: Sequence[tuple[float, float]], dice: np.random.Generator) -> ClaimTest:
    """Return the tests of a claim; one in five has two-sided bounds, in the middle of which its ratios lie at most."""
    is_two_sided = dice.random() < 1 / 5
    tests = []
    for distance, (deviation, error) in zip(distances(truth, len(found), dice), found, strict=True):
        inside = min(distance, WIDE) if is_two_sided else distance
        below = (inside + deviation) / error
        above = (2 * WIDE - inside - deviation) / error if is_two_sided else math.inf
        one, other = float(stdtr(DEGREES, -below)), float(stdtr(DEGREES, -above))
        ends = 2 if is_two_sided else 1
        tests.append(ComparisonTest(max(one, other), min(1.0, ends * min(1 - one, 1 - other))))
    return ClaimTest(tests)


def verdict_of(shown: Sequence[bool | None]) -> Truth | None:
    """Return the verdict on a claim; None: not shown."""
    if False in shown:
        return Truth.DOES_NOT_HOLD
    return Truth.HOLDS if all(shown) else None


def in_use(claims: Sequence[ClaimTest]) -> list[Truth | None]:
    """Judge a table as `respmark verdict` does."""
    level = level_of(claims)
    return [verdict_of(one.shown(level)) for one in claims]


def one_family(claims: Sequence[ClaimTest]) -> list[Truth | None]:
    """Judge a table with all comparisons of all claims as one family of Holm's procedure."""
    tests = {(number, place): one for number, claim in enumerate(claims) for place, one in enumerate(claim.comparisons)}
    adjusted = holm({key: min(1.0, 2 * min(one.inside, one.outside)) for key, one in tests.items() if one is not None})
    shown: list[list[bool | None]] = [[None] * len(claim.comparisons) for claim in claims]
    for (number, place), p_value in adjusted.items():
        one = tests[number, place]
        if one is not None and p_value <= FALSE_DISCOVERY_RATE:
            shown[number][place] = one.inside < one.outside
    return list(map(verdict_of, shown))


PROCEDURES: Final = {"in use": in_use, "one Holm family": one_family}


def simulate(truths: Sequence[Truth], tables: int, seed: int) -> dict[str, Score]:
    """Return what each procedure makes of tables whose claims have these truths in turn."""
    dice = np.random.default_rng(seed)
    truth = [truths[number % len(truths)] for number in range(CLAIMS)]
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in PROCEDURES}
    for _ in range(tables):
        claims = [claim_test(*both, dice) for both in zip(truth, estimates(CLAIMS, dice), strict=True)]
        for name, procedure in PROCEDURES.items():
            found[name].append(_counts(truth, procedure(claims)))
    return {name: _score(counts) for name, counts in found.items()}


def _counts(truth: Iterable[Truth], verdicts: Iterable[Truth | None]) -> tuple[int, int]:
    given = [(true, verdict) for true, verdict in zip(truth, verdicts, strict=True) if verdict is not None]
    wrong = sum(true is not verdict for true, verdict in given)
    return wrong, len(given) - wrong


def _score(counts: Sequence[tuple[int, int]]) -> Score:
    return Score(
        false_tables=sum(wrong > 0 for wrong, _ in counts) / len(counts),
        false_share=sum(wrong / max(1, wrong + right) for wrong, right in counts) / len(counts),
        decided=sum(right for _, right in counts) / len(counts) / CLAIMS,
    )


def families(*, tables: int = 2000, seed: int = 1) -> None:
    """Simulate tables of claims whose truth is known, and count the wrong verdicts.

    Args:
        tables: How many of each situation.
        seed: Decides what is drawn.
    """
    heads = ("a table's claims", "procedure", "tables with a wrong verdict", "wrong verdicts", "right verdicts")
    print("\n".join([markdown_row(heads), markdown_row(["---", "---", "---:", "---:", "---:"])]))
    for situation, truths in SITUATIONS.items():
        for name, score in simulate(truths, tables, seed).items():
            shares = (score.false_tables, score.false_share, score.decided)
            print(markdown_row([situation, name, *(f"{share:.1%}" for share in shares)]))


if __name__ == "__main__":
    cyclopts.run(families)
