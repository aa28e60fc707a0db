"""How charts look: Vega-Lite's configuration, and what shows a client in a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from respmark.report.html.palette import ClientLook

VEGA_LITE: Final = "6.4"
"""The version in the page's script; pictures are drawn by the same."""
Spec = dict[str, Any]
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PICTURE_FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
PICTURE_PADDING: Final = {"left": 24, "right": 16, "top": 4, "bottom": 4}
"""A reader who has none of these fonts has a wider one: nothing of it is to be cut."""
LIGHT: Final = {"ink": "#1c2128", "muted": "#57606a", "line": "#d8dee4", "background": "white"}
DARK: Final = {"ink": "#e6e9ee", "muted": "#a5adb8", "line": "#39414d", "background": "transparent"}
LEGEND: Final = {
    "title": None,
    "orient": "bottom",
    "columns": 4,
    "labelLimit": 240,
    "symbolOpacity": 1,
    "symbolSize": 110,
    "symbolStrokeWidth": 2,
}
TEXT: Final = 12


def config(looks: Sequence[ClientLook], *, dark: bool = False, font: str = FONT) -> Spec:
    """Return Vega-Lite's configuration; colours and symbols are in the order of the clients."""
    theme = DARK if dark else LIGHT
    text = {"labelFontSize": TEXT, "titleFontSize": TEXT, "titleFontWeight": "normal"}
    axis = {"labelColor": theme["muted"], "titleColor": theme["muted"], "titlePadding": 8}
    lines = dict.fromkeys(("gridColor", "domainColor", "tickColor"), theme["line"])
    return {
        "background": theme["background"],
        "font": font,
        "padding": PICTURE_PADDING if font == PICTURE_FONT else 4,
        "range": {
            "category": [one.dark if dark else one.light for one in looks],
            "symbol": [one.symbol for one in looks],
            "ramp": {"scheme": "viridis"},
        },
        "axis": {**text, **axis, **lines},
        "header": {"labelColor": theme["ink"], "labelFontSize": 13, "labelFontWeight": 600, "labelAnchor": "start"},
        "legend": {"labelColor": theme["ink"], "titleColor": theme["muted"], **text},
        "title": {
            "color": theme["ink"],
            "subtitleColor": theme["muted"],
            "anchor": "start",
            "fontSize": 15,
            "subtitleFontSize": TEXT,
        },
        "view": {"stroke": None},
        "text": {"color": theme["ink"], "fontSize": TEXT},
        "line": {"strokeWidth": 2, "opacity": 0.85},
        "point": {"filled": True, "size": 50, "opacity": 1},
        "rule": {"color": theme["muted"]},
        "facet": {"spacing": 28},
    }


@dataclass(frozen=True)
class Marks:
    """What shows a client in a chart: the same in all of them."""

    names: Sequence[str]
    dashes: Sequence[Sequence[int]]

    def in_spec(self, spec: Spec) -> Spec:
        """Return a spec in which clients have their looks, in place of the words that stand for them."""
        made: Spec = self._filled(spec)
        return made

    def _filled(self, part: Any) -> Any:  # noqa: ANN401 - any part of a spec
        if isinstance(part, dict):
            return {key: self._filled(one) for key, one in part.items()}
        if isinstance(part, list):
            return list(map(self._filled, part))
        return self._looks.get(part, part) if isinstance(part, str) else part

    @cached_property
    def _looks(self) -> dict[str, Any]:
        names = list(self.names)
        scales = {
            "color": {"domain": names, "range": "category"},
            "shape": {"domain": names, "range": "symbol"},
            "dash": {"domain": names, "range": [list(dash) for dash in self.dashes]},
        }
        by_client = {"field": "client", "type": "nominal"}
        return {
            "$clients": names,
            "$colors": scales["color"],
            **{f"${look}": {**by_client, "legend": None, "scale": scale} for look, scale in scales.items()},
            **{f"${look} in legend": {**by_client, "legend": LEGEND, "scale": scale} for look, scale in scales.items()},
        }
