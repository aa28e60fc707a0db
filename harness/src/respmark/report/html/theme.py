"""Colours and type of the page's charts, light and dark.

A language has a hue and a symbol; its clients have shades of the hue, and dashes. Hues are those of Okabe and Ito
("Color universal design", 2008), which colour-blind readers can tell apart, darkened or lightened for a contrast of 3:1
or more.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

LIGHT: Final = {
    "Python": ("#0072b2", "#4b9ccf", "#00456b"),
    "JavaScript": ("#008060", "#37a183", "#004d3a"),
    "Java": ("#c24e00", "#e07b35", "#7a3100"),
    "PHP": ("#a8447c", "#c877a3", "#6b2750"),
    "C#": ("#8a6d00", "#ab8a22", "#574500"),
    "": ("#5b6470", "#848d99", "#343b45"),
}
DARK: Final = {
    "Python": ("#58b0e8", "#9cd0f2", "#2f86bd"),
    "JavaScript": ("#3cc79f", "#8fe3c8", "#1f9273"),
    "Java": ("#f08a4b", "#f7bb94", "#c2622a"),
    "PHP": ("#de8fbb", "#efc0d9", "#b5648f"),
    "C#": ("#d9b63c", "#ebd88f", "#a68a23"),
    "": ("#a5adb8", "#cfd5dc", "#7d8590"),
}
SYMBOLS: Final = {
    "Python": "circle",
    "JavaScript": "diamond",
    "Java": "square",
    "PHP": "triangle-up",
    "C#": "triangle-down",
    "": "cross",
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
        name = language if language in SYMBOLS else ""
        turn, shade = divmod(seen[name], len(DASHES))
        seen[name] += 1
        dash = DASHES[(shade + turn) % len(DASHES)]  # the fourth of a language must not look like its first
        found.append(Look(LIGHT[name][shade], DARK[name][shade], SYMBOLS[name], dash))
    return found


def config(found: list[Look], *, dark: bool = False, font: str = FONT) -> dict[str, Any]:
    """Return Vega-Lite's configuration; the looks are in the order of the scales' domains."""
    ink, muted, line = ("#e6e9ee", "#a5adb8", "#39414d") if dark else ("#1c2128", "#57606a", "#d8dee4")
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
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "gridColor": line,
            "domainColor": line,
            "tickColor": line,
            "titlePadding": 8,
        },
        "header": {"labelColor": ink, "labelFontSize": 13, "labelFontWeight": 600, "labelAnchor": "start"},
        "legend": {"labelColor": ink, "titleColor": muted, "labelFontSize": 12, "titleFontWeight": "normal"},
        "title": {"color": ink, "subtitleColor": muted, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
        "view": {"stroke": None},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": muted},
        "facet": {"spacing": 28},
    }
