"""Which of several tests show something, so that few of the answers are wrong: pure functions of p-values.

A table of comparisons is a family, corrected by Holm's procedure: at most 5 % of such tables show anything that is
false. A claim makes several comparisons and gets one of two opposing verdicts:

1. It *holds* if every comparison lies within its bounds. All of them must be shown, so each is tested at the full level
   (intersection-union test, Berger 1982): the p-value is the largest of theirs.
2. It *does not hold* if any comparison lies outside: the p-value is the smallest of theirs after Holm's correction.
3. Both are tested, so the p-value of the verdict is twice the smaller of the two.
4. A table of claims has verdicts where the Benjamini-Hochberg procedure rejects: on average, at most 5 % of them are
   wrong. If no verdict could be right, at most 5 % of tables have any (Benjamini and Hochberg 1995; with directions:
   Benjamini and Yekutieli 2005).

docs/statistics.md says what that means for readers; harness/bench/families.py checks it by simulation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

Key = TypeVar("Key")

FALSE_DISCOVERY_RATE: Final = 0.05
"""The share of a table's verdicts that may be wrong, on average."""


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Return the p-values, corrected for each other by Holm's step-down procedure (Holm 1979)."""
    adjusted: dict[Key, float] = {}
    largest = 0.0
    for place, key in enumerate(sorted(p_values, key=lambda one: p_values[one])):
        largest = min(1.0, max(largest, p_values[key] * (len(p_values) - place)))
        adjusted[key] = largest
    return adjusted


def false_discovery_level(p_values: Sequence[float], rate: float = FALSE_DISCOVERY_RATE) -> float:
    """Return the level that the Benjamini-Hochberg procedure tests at: it rejects the p-values up to this one."""
    ordered = enumerate(sorted(p_values), start=1)
    rejected = [place for place, p_value in ordered if p_value <= rate * place / len(p_values)]
    return rate * max(rejected, default=1) / max(1, len(p_values))


@dataclass(frozen=True)
class ComparisonTest:
    """One-sided p-values of the two opposing statements about a ratio."""

    inside: float
    """That it lies within the claim's bounds."""
    outside: float
    """That it lies outside."""


@dataclass(frozen=True)
class ClaimTest:
    """The tests of a claim's comparisons, in their order; None for those that are not measured."""

    comparisons: Sequence[ComparisonTest | None]

    @property
    def p_holds(self) -> float:
        """Return the p-value of the statement that all comparisons lie within their bounds."""
        return max((1.0 if one is None else one.inside for one in self.comparisons), default=1.0)

    @property
    def p_does_not_hold(self) -> float:
        """Return the p-value of the statement that at least one comparison lies outside its bounds."""
        return min(self._outside().values(), default=1.0)

    @property
    def p_value(self) -> float:
        """Return the p-value of the verdict: of the likelier statement, doubled because there are two."""
        return min(1.0, 2 * min(self.p_holds, self.p_does_not_hold))

    @property
    def is_measured(self) -> bool:
        """Return whether there is anything to test."""
        return any(self.comparisons)

    def shown(self, level: float) -> list[bool | None]:
        """Return whether each comparison is shown to lie inside (True) or outside (False); None: neither.

        The claim holds if all lie inside and does not if one lies outside; its p-value is then at most the level.
        """
        outside = self._outside()
        return [
            True
            if one is not None and 2 * one.inside <= level
            else False
            if 2 * outside.get(number, 1.0) <= level
            else None
            for number, one in enumerate(self.comparisons)
        ]

    def _outside(self) -> dict[int, float]:
        return holm({number: one.outside for number, one in enumerate(self.comparisons) if one is not None})


def level_of(claims: Sequence[ClaimTest]) -> float:
    """Return the level at which the claims of a table are judged; those of which nothing is measured do not count."""
    return false_discovery_level([one.p_value for one in claims if one.is_measured])
