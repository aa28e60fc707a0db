"""How clients look: each has a colour, a symbol and a dash, which are the same in every chart of a page.

A library as installed looks the same on every page: its spec names the number of its look.
Eight hues of OKLCH that colour-blind readers can tell apart (also by their lightness) go with eight symbols; the next
eight clients have other symbols with the same hues, in another shade. No two of up to 64 clients look alike.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

HUES: Final = ((250, 0.0), (55, 0.0), (165, -0.05), (350, 0.03), (105, 0.07), (300, -0.09), (215, 0.07), (25, -0.1))
"""Angles in degrees, each with what it adds to the lightness."""
SYMBOLS: Final = (
    *("circle", "square", "triangle-up", "diamond"),
    *("triangle-down", "cross", "triangle-right", "triangle-left"),
)
DASHES: Final = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))
SHADES: Final = (0.0, -0.1, 0.05, -0.16)
"""What the shade adds to the lightness on white; on black, the opposite."""
CHROMA: Final = 0.13
ON_LIGHT: Final = 0.53
ON_DARK: Final = 0.76
TO_LMS: Final = ((1, 0.3963377774, 0.2158037573), (1, -0.1055613458, -0.0638541728), (1, -0.0894841775, -1.2914855480))
TO_RGB: Final = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
"""From OKLab to linear sRGB (B. Ottosson, 2020)."""


@dataclass(frozen=True)
class ClientLook:
    """How a client looks on a light and on a dark page."""

    light: str
    dark: str
    symbol: str
    dash: tuple[int, ...]


def numbers_of(installed: Sequence[str | None], own: Mapping[str, int]) -> list[int]:
    """Return the number of the look of each client of a run.

    `installed` is the library of each client that is one as installed, and None for others. The first client of a
    library has its own number, any other the lowest that is left over, of the hues that fewest have.
    """
    fixed = {library: own[library] for library in installed if library is not None and library in own}
    taken = list(fixed.values())
    candidates = range(max(taken, default=0) + len(installed) + 1)

    def left_over() -> int:
        uses = Counter(number % len(HUES) for number in taken)
        free = (number for number in candidates if number not in taken)
        taken.append(min(free, key=lambda number: (uses[number % len(HUES)], number)))
        return taken[-1]

    def number_of(library: str | None) -> int:
        number = None if library is None else fixed.pop(library, None)
        return left_over() if number is None else number

    return [number_of(library) for library in installed]


def look(number: int) -> ClientLook:
    """Return the look of this number, from 0 on."""
    turn, place = divmod(number, len(HUES))
    hue, lighter = HUES[place]
    shade = SHADES[turn % len(SHADES)]
    return ClientLook(
        light=hex_of(ON_LIGHT + lighter + shade, hue),
        dark=hex_of(ON_DARK + lighter - shade, hue),
        symbol=SYMBOLS[(place + turn) % len(SYMBOLS)],
        dash=DASHES[turn % len(DASHES)],
    )


def hex_of(lightness: float, hue: float) -> str:
    """Return a colour of OKLCH as `#rrggbb`, with as much chroma as sRGB has room for."""
    linear, chroma = _linear(lightness, CHROMA, hue), CHROMA
    while min(linear) < 0 or max(linear) > 1:
        chroma -= 0.005
        linear = _linear(lightness, chroma, hue)
    return "#" + "".join(f"{round(255 * _gamma(one)):02x}" for one in linear)


def _linear(lightness: float, chroma: float, hue: float) -> tuple[float, ...]:
    lab = lightness, chroma * cos(hue * pi / 180), chroma * sin(hue * pi / 180)
    lms = [sum(a * b for a, b in zip(line, lab, strict=True)) ** 3 for line in TO_LMS]
    return tuple(sum(a * b for a, b in zip(line, lms, strict=True)) for line in TO_RGB)


def _gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055  # noqa: PLR2004 - sRGB's
