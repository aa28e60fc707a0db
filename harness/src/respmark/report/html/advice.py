"""Published claims on the page: each comparison as a small picture of what was claimed, published and measured."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from respmark.guidance.verdict import JudgedClaim, JudgedPoint, Verdict
from respmark.report.guidance import SUITE, claimed_words, command, compared, measured, unmeasured, with_figures
from respmark.specs.guidance import Point

WIDTH: Final = 220
"""Width of a picture, in its own units."""
MARGIN: Final = 8
"""Margin on both sides, which keeps marks at the ends whole."""
LEAST_SPAN: Final = math.log(1.25)
"""Smallest span of a scale, as a logarithm: a ratio of 1.001 must not look far from 1."""


@dataclass(frozen=True)
class Picture:
    """One comparison on a logarithmic scale of ratios; places are in the picture's units, from its left."""

    claimed: tuple[float, float]
    """The ends between which the ratio lies if the claim holds."""
    one: float
    """Place of the ratio 1: no difference."""
    published: float | None
    interval: tuple[float, float] | None
    measured: float | None
    spoken: str
    """What screen readers say."""


@dataclass(frozen=True)
class ShownPoint:
    """One comparison of a claim."""

    compared: str
    said: str
    """What was measured, in words."""
    claimed: str
    kind: str
    picture: Picture


@dataclass(frozen=True)
class ShownClaim:
    """A claim with its verdict."""

    judged: JudgedClaim
    points: tuple[ShownPoint, ...]
    reasons: tuple[str, ...]
    """Why comparisons are not measured."""
    command: str | None
    """The command that would measure them."""

    @property
    def kind(self) -> str:
        """Return the verdict as a class of the page's style."""
        return _kind(self.judged.verdict)


@dataclass(frozen=True)
class Advice:
    """All claims."""

    measured: tuple[ShownClaim, ...]
    """Claims for which this run has at least one comparison."""
    rest: tuple[ShownClaim, ...]
    command: str = f"respmark run {SUITE}"
    """The command that would measure all of them."""


def advice(claims: Sequence[JudgedClaim]) -> Advice:
    """Return what the page says about published claims."""
    found = with_figures(claims)
    return Advice(tuple(map(_shown, found)), tuple(_shown(one) for one in claims if one not in found))


def _shown(one: JudgedClaim) -> ShownClaim:
    ends = [end for point in one.points for end in _ends(point)]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    spare = max(0.0, LEAST_SPAN - (high - low)) / 2 + 0.08 * (high - low)
    scale = _Scale(low - spare, high + spare)
    points = tuple(
        ShownPoint(
            compared(point.point),
            measured(point),
            claimed_words(point.point),
            _kind(point.verdict),
            _picture(point, scale),
        )
        for point in one.points
    )
    return ShownClaim(one, points, tuple(unmeasured(one)), command([one]))


def _kind(verdict: Verdict) -> str:
    return verdict.replace(" ", "-")


def _ends(one: JudgedPoint) -> Iterator[float]:
    """Yield the logarithms that a picture must have room for."""
    yield 0.0
    yield from (end for end in one.point.bounds if math.isfinite(end))
    ratios = (one.point.published, one.ratio, *(one.interval or ()))
    yield from (math.log(ratio) for ratio in ratios if ratio is not None)


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    """Logarithms of the ratios at the picture's ends."""

    def place(self, logarithm: float) -> float:
        """Return the place of a logarithm; what is beyond an end is placed at that end."""
        share = (logarithm - self.low) / (self.high - self.low)
        return round(MARGIN + min(max(share, 0.0), 1.0) * (WIDTH - 2 * MARGIN), 1)

    def of_ratio(self, ratio: float | None) -> float | None:
        return None if ratio is None else self.place(math.log(ratio))


def _picture(one: JudgedPoint, scale: _Scale) -> Picture:
    low, high = _zone(one.point, scale)
    ends = one.interval and (scale.place(math.log(one.interval[0])), scale.place(math.log(one.interval[1])))
    spoken = f"{one.verdict}: measured {measured(one)}; {claimed_words(one.point)}"
    published = scale.of_ratio(one.point.published)
    return Picture((low, high), scale.place(0.0), published, ends, scale.of_ratio(one.ratio), spoken)


def _zone(point: Point, scale: _Scale) -> tuple[float, float]:
    low, high = point.bounds
    return (
        scale.place(low) if math.isfinite(low) else 0.0,
        scale.place(high) if math.isfinite(high) else float(WIDTH),
    )
