"""The clients' looks: told apart by many readers, on light and dark pages."""

from itertools import combinations

import pytest

from respmark.report.html.palette import HUES, look, numbers_of
from respmark.specs.naming import DEFAULT
from tests.builders.plan import SHIPPED

MOST = 32
"""Clients in one run, and numbers of looks."""
PAPERS = {"light": "#ffffff", "dark": "#12161c"}
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
"""What remains of linear sRGB (Machado, Oliveira and Fernandes, 2009)."""


def linear(color: str) -> list[float]:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]


def luminance(color: str) -> float:
    return sum(part * one for part, one in zip((0.2126, 0.7152, 0.0722), linear(color), strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def distance(one: list[float], other: list[float]) -> float:
    return float(sum((abs(a) ** 0.5 - abs(b) ** 0.5) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5)


def seen(color: str) -> list[float]:
    return [sum(a * b for a, b in zip(line, linear(color), strict=True)) for line in DEUTERANOPIA]


@pytest.mark.parametrize("theme", PAPERS)
def test_every_colour_stands_out_from_the_page(theme: str) -> None:
    """By 3:1 or more, as WCAG asks of graphics."""
    assert min(contrast(getattr(look(number), theme), PAPERS[theme]) for number in range(MOST)) >= 3


@pytest.mark.parametrize("theme", PAPERS)
def test_no_two_clients_look_alike(theme: str) -> None:
    """They differ in symbol, or clearly in colour; the first eight in both, also without red and green."""
    looks = [look(number) for number in range(MOST)]
    for one, other in combinations(looks, 2):
        apart = distance(linear(getattr(one, theme)), linear(getattr(other, theme)))
        assert one.symbol != other.symbol or apart > 0.1
    first = [getattr(one, theme) for one in looks[: len(HUES)]]
    assert len({one.symbol for one in looks[: len(HUES)]}) == len(HUES)
    assert min(distance(linear(one), linear(other)) for one, other in combinations(first, 2)) > 0.1
    assert min(distance(seen(one), seen(other)) for one, other in combinations(first, 2)) > 0.03


def test_a_library_looks_the_same_on_every_page() -> None:
    """It has its own number; its other variants, and libraries without one, have what is left over."""
    own = {"jedis": 2, "lettuce": 3, "redisson": 10}
    assert numbers_of(["jedis", "lettuce"], own) == [2, 3]
    assert numbers_of([None, "lettuce", "jedis", None], own) == [0, 3, 2, 1]
    assert numbers_of(["redisson", "mine", "lettuce", "lettuce"], own) == [10, 0, 3, 1]
    assert len(set(numbers_of([None] * MOST, own))) == MOST


def test_no_two_libraries_share_a_look() -> None:
    """Those of a language, which are compared the most, have hues of their own; so have those of the suite `quick`."""
    specs = [spec for spec in SHIPPED.clients.values() if spec.color is not None]
    assert len({spec.color for spec in specs}) == len(specs)
    for group in (*SHIPPED.languages, DEFAULT):
        hues = [
            spec.color % len(HUES) for spec in specs if spec.color is not None and group in {spec.runner, *spec.tags}
        ]
        assert len(set(hues)) == len(hues)
    assert max(SHIPPED.colors.values()) < MOST
