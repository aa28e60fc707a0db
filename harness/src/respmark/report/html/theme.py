"""Colours and type of the page's charts, light and dark.

A language has a hue and a symbol; its clients have shades of the hue, and dashes. Hues are those of Okabe and Ito
("Color universal design", 2008), which colour-blind readers can tell apart, darkened or lightened for a contrast of 3:1
or more.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple


class Hue(NamedTuple):
    """A language's symbol, and the shades of its clients."""

    symbol: str
    light: tuple[str, str, str]
    dark: tuple[str, str, str]


HUES: Final = {
    "Python": Hue("circle", ("#0072b2", "#4b9ccf", "#00456b"), ("#58b0e8", "#9cd0f2", "#2f86bd")),
    "JavaScript": Hue("diamond", ("#008060", "#37a183", "#004d3a"), ("#3cc79f", "#8fe3c8", "#1f9273")),
    "Java": Hue("square", ("#c24e00", "#e07b35", "#7a3100"), ("#f08a4b", "#f7bb94", "#c2622a")),
    "PHP": Hue("triangle-up", ("#a8447c", "#c877a3", "#6b2750"), ("#de8fbb", "#efc0d9", "#b5648f")),
    "C#": Hue("triangle-down", ("#8a6d00", "#ab8a22", "#574500"), ("#d9b63c", "#ebd88f", "#a68a23")),
    "": Hue("cross", ("#5b6470", "#848d99", "#343b45"), ("#a5adb8", "#cfd5dc", "#7d8590")),
}
DASHES: Final = ((1, 0), (6, 3), (2, 2))
PICTURE_FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Fonts of pictures, which must look the same wherever they are drawn: vl-convert includes the first one."""
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Look:
    """How a client is drawn everywhere."""

    light: str
    dark: str
    symbol: str
    dash: tuple[int, int]


def looks(languages: Iterable[str]) -> list[Look]:
    """Return the look of each client; `languages` are the clients' languages, in the order of the clients."""
    seen: Counter[str] = Counter()
    found = []
    for language in languages:
        hue = HUES.get(language, HUES[""])
        turn, shade = divmod(seen[hue.symbol], len(DASHES))
        seen[hue.symbol] += 1
        dash = DASHES[(shade + turn) % len(DASHES)]  # the fourth of a language must not look like its first
        found.append(Look(hue.light[shade], hue.dark[shade], hue.symbol, dash))
    return found


def config(found: list[Look], *, dark: bool = False, font: str = FONT) -> dict[str, Any]:
    """Return Vega-Lite's configuration; the looks are in the order of the scales' domains."""
    ink, muted, line = ("#e6e9ee", "#a5adb8", "#39414d") if dark else ("#1c2128", "#57606a", "#d8dee4")
    sizes = {"labelFontSize": 12, "titleFontWeight": "normal"}
    return {
        "background": "transparent" if dark else "white",
        "font": font,
        "padding": 4,
        "range": {
            "category": [look.dark if dark else look.light for look in found],
            "symbol": [look.symbol for look in found],
            "ramp": {"scheme": "viridis"},
        },
        "axis": {
            "labelColor": muted,
            "titleColor": muted,
            "titleFontSize": 12,
            "titlePadding": 8,
            **sizes,
            "gridColor": line,
            "domainColor": line,
            "tickColor": line,
        },
        "header": {"labelColor": ink, "labelFontSize": 13, "labelFontWeight": 600, "labelAnchor": "start"},
        "legend": {"labelColor": ink, "titleColor": muted, **sizes},
        "title": {"color": ink, "subtitleColor": muted, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
        "view": {"stroke": None},
        "text": {"color": ink, "fontSize": 12},
        "line": {"strokeWidth": 2, "opacity": 0.85},
        "point": {"filled": True, "size": 50, "opacity": 1},
        "rule": {"color": muted},
        "facet": {"spacing": 28},
    }
