"""The charts' Vega-Lite specs, without data and widths: a function a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
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
SI_AXIS: Final = {"format": "~s", "tickCount": 5, "gridOpacity": 0.7}
PLAIN_AXIS: Final = {"format": "~r", "tickCount": 5}
DASHED: Final = {"type": "rule", "strokeDash": [4, 4]}
QUIET, STEP = "#7d8590", "#d1603d"
"""Readable on white and on black."""


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

    def color(self, *, in_legend: bool = False) -> Spec:
        """Return the client's colour."""
        return self._of_client({"domain": list(self.names), "range": "category"}, in_legend=in_legend)

    def shape(self, *, in_legend: bool = False) -> Spec:
        """Return its symbol."""
        return self._of_client({"domain": list(self.names), "range": "symbol"}, in_legend=in_legend)

    def dash(self, *, in_legend: bool = False) -> Spec:
        """Return the dash of its lines."""
        dashes = [list(dash) for dash in self.dashes]
        return self._of_client({"domain": list(self.names), "range": dashes}, in_legend=in_legend)

    def filled_if(self, test: str) -> Spec:
        """Return what fills a point: the client's colour if an expression of the row is true."""
        colored = {"test": test, "field": "client", "type": "nominal", "scale": self.color()["scale"]}
        return {"condition": colored, "value": "transparent", "legend": None}

    def curves(self) -> list[Spec]:
        """Return lines with a point for each value, named below the chart."""
        color = self.color(in_legend=True)
        points = {"shape": self.shape(in_legend=True), "color": color}
        return [
            {"mark": "line", "encoding": {"strokeDash": self.dash(in_legend=True), "color": color}},
            {"mark": {"type": "point", "tooltip": True}, "encoding": points},
        ]

    @staticmethod
    def _of_client(scale: Spec, *, in_legend: bool) -> Spec:
        legend = dict(LEGEND) if in_legend else None
        return {"field": "client", "type": "nominal", "legend": legend, "scale": scale}


def log(padding: int = 12) -> Spec:
    """Return a logarithmic scale."""
    return {"type": "log", "nice": False, "padding": padding}


def quantity(field: str, title: str | None, scale: Spec | None = None, axis: Spec | None = None) -> Spec:
    """Return an axis of numbers."""
    more = {"scale": scale, "axis": axis}
    return {"field": field, "type": "quantitative", "title": title, **{key: one for key, one in more.items() if one}}


def rps_axis() -> Spec:
    """Return an axis of commands per second."""
    return quantity("rps", "commands per second", log(), SI_AXIS)


def _ms() -> Spec:
    return quantity("ms", "milliseconds", log(), PLAIN_AXIS)


def _band(opacity: float, color: Spec) -> Spec:
    ends = {"y": {"field": "low"}, "y2": {"field": "high"}}
    return {"mark": {"type": "area", "opacity": opacity}, "encoding": {**ends, "color": color}}


def facets(field: str, spec: Spec, *, own: Sequence[str] = (), **facet: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """Return a chart for each value of a field; `own` are the axes whose scales they do not share."""
    by = {"field": field, "type": "nominal", "sort": None, "title": None, **facet}
    return {"facet": by, "resolve": {"scale": dict.fromkeys(own, "independent")}, "spec": spec}


def forest(marks: Marks, title: str = "ratio to the baseline") -> Spec:
    """Return ratios with their intervals; `title` says to what."""
    client = {"field": "client", "type": "nominal", "sort": None, "axis": {"title": None, "grid": True}}
    ratio = quantity("value", title, log(), {"format": "~g", "tickCount": 5})
    point = {"type": "point", "filled": False, "size": 70, "strokeWidth": 2, "tooltip": True}
    filled = marks.filled_if("datum.known === 'shown'")
    look = {"stroke": marks.color(), "shape": marks.shape(), "fill": filled, "detail": {"field": "known"}}
    ends = {"x": {**ratio, "field": "low"}, "x2": {"field": "high"}, "y": client, "color": marks.color()}
    layers = [
        {"mark": DASHED, "encoding": {"x": {"datum": 1, "type": "quantitative"}}},
        {"mark": {"type": "rule", "size": 2}, "encoding": ends},
        {"mark": point, "encoding": {"x": ratio, "y": client, **look}},
    ]
    return facets("metric", {"height": {"step": 26}, "layer": layers}, own=("x",))


def frontier(marks: Marks) -> Spec:
    """Return throughput against what a command costs the client."""
    best = {"sort": [{"field": "cpu", "order": "ascending"}], "frame": [None, 0]}
    rising = [{**best, "window": [{"op": "max", "field": "rps", "as": "best"}]}, {"filter": "datum.rps >= datum.best"}]
    edge = {"type": "line", "interpolate": "step-after", "strokeDash": [4, 4]}
    span = {"type": "rule", "opacity": 0.55}
    look = {"color": marks.color(), "shape": marks.shape()}
    server = {"field": "server", "title": "server CPU, µs per command"}
    name = {"type": "text", "align": "left", "dx": 9, "dy": -9, "limit": 180, "fontSize": 11}
    cpu = quantity("cpu", "client CPU, µs per command", log(70), {"format": ",~r", "tickCount": 5})
    return {
        "height": 340,
        "encoding": {"x": cpu, "y": rps_axis()},
        "layer": [
            {"transform": rising, "mark": {**edge, "strokeWidth": 1, "opacity": 0.6, "color": "gray"}},
            *(
                {"mark": span, "encoding": {axis: {"field": low}, f"{axis}2": {"field": high}, "color": marks.color()}}
                for axis, low, high in (("y", "rps_low", "rps_high"), ("x", "cpu_low", "cpu_high"))
            ),
            {"mark": {"type": "point", "size": 110, "tooltip": True}, "encoding": {**look, "detail": server}},
            {"mark": name, "encoding": {"text": {"field": "client"}}},
        ],
    }


def depth(marks: Marks) -> Spec:
    """Return throughput and CPU against depth."""
    axes = {
        "x": quantity("depth", "depth", log(), PLAIN_AXIS),
        "y": quantity("value", None, log(), {**SI_AXIS, "title": None}),
    }
    layers = [_band(0.18, marks.color(in_legend=True)), {"layer": marks.curves()}]
    return facets("metric", {"height": 300, "encoding": axes, "layer": layers}, own=("y",))


def round_trips(marks: Marks) -> Spec:
    """Return throughput against depth for each client, a line a round trip."""
    x = quantity("depth", "depth", log(54), PLAIN_AXIS)
    rtt = {"field": "rtt", "type": "nominal", "sort": None, "legend": None}
    rank = {"window": [{"op": "rank", "as": "place"}], "sort": [{"field": "depth"}], "groupby": ["client", "rtt"]}
    ring = {"type": "point", "filled": False, "size": 260, "strokeWidth": 2}
    name = {"type": "text", "align": "right", "dx": -8, "fontSize": 11}
    layers = [
        _band(0.12, marks.color()),
        {"mark": "line", "encoding": {"strokeDash": rtt}},
        {"mark": {"type": "point", "tooltip": True}, "encoding": {"shape": marks.shape()}},
        {"transform": [{"filter": "datum.mark"}], "mark": ring},
        {"transform": [rank, {"filter": "datum.place === 1"}], "mark": name, "encoding": {"text": {"field": "rtt"}}},
    ]
    axes = {"x": x, "y": rps_axis(), "color": marks.color(), "detail": {"field": "rtt"}}
    spec = {"height": 260, "encoding": axes, "layer": layers}
    return facets("client", spec, sort=list(marks.names))


def hosts(marks: Marks) -> Spec:
    """Return throughput by number of hosts for each client, beside the ideal."""
    x = quantity("hosts", "client hosts", {"zero": True}, {"tickMinStep": 1, "format": "d"})
    y = quantity("rps", "commands per second", {"zero": True}, SI_AXIS)
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        {"mark": {"type": "line", "color": QUIET, "strokeDash": [4, 4]}, "encoding": {"y": {**y, "field": "ideal"}}},
        {
            "transform": [{"filter": "datum.low !== null"}],
            "mark": {"type": "rule", "size": 2},
            "encoding": {**ends, "color": marks.color()},
        },
        {"mark": "line", "encoding": {"y": y, "color": marks.color(), "strokeDash": marks.dash()}},
        {
            "mark": {"type": "point", "tooltip": True},
            "encoding": {"y": y, "color": marks.color(), "shape": marks.shape()},
        },
    ]
    detail = {"field": "each", "title": "processes on each"}
    spec = {"height": 260, "encoding": {"x": x, "detail": detail}, "layer": layers}
    return facets("client", spec, own=("y",), sort=list(marks.names))


def latency(marks: Marks) -> Spec:
    """Return latency by percentile."""
    axis = {
        "values": [1, 2, 10, 100, 1000, 10000, 100000],
        "labelExpr": "datum.value === 1 ? '0' : format(100 - 100 / datum.value, '~r') + ' %'",
        "labelOverlap": True,
    }
    x = quantity("rank", "percentile", {"type": "log", "nice": False}, axis)
    return {"height": 320, "encoding": {"x": x, "y": _ms()}, "layer": marks.curves()}


def rates(marks: Marks) -> Spec:
    """Return latency by rate, the goal, and the highest rates that kept to it."""
    color = marks.color(in_legend=True)
    detail = [{"field": "slices"}, {"field": "saturated"}]
    look = {"shape": marks.shape(in_legend=True), "fill": marks.filled_if("!datum.saturated"), "detail": detail}
    curves = [
        _band(0.12, color),
        {"mark": "line", "encoding": {"strokeDash": marks.dash(in_legend=True)}},
        {"mark": {"type": "point", "filled": False, "tooltip": True}, "encoding": look},
    ]
    goal = [{"filter": "datum.goal"}, {"aggregate": [], "groupby": ["metric", "goal"]}]
    at = {"x": None, "color": None, "y": {"field": "goal", "type": "quantitative"}}
    layers = [
        {"transform": [{"filter": "datum.ms"}], "encoding": {"y": _ms()}, "layer": curves},
        {"transform": [{"filter": "!datum.ms"}], "mark": DASHED},
        {"transform": goal, "mark": DASHED, "encoding": at},
    ]
    x = quantity("rate", "commands due per second", log(), SI_AXIS)
    return facets("metric", {"height": 300, "encoding": {"x": x, "color": color}, "layer": layers})


def releases(_: Marks | None = None, *, line_of: str | None = None) -> Spec:
    """Return ratios to a control, such as a library's releases, with the steps between neighbours.

    `line_of` is the field whose values each have a line; by default, there is one through all points.
    """
    x = {"field": "release", "type": "ordinal", "sort": None, "title": None, "axis": {"labelAngle": -45, "grid": True}}
    y = quantity("value", "ratio", log(), {"format": "~g", "tickCount": 5})
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    line = {"type": "line", "interpolate": "step-after", "color": QUIET, "opacity": 0.6}
    point = {"type": "point", "filled": False, "size": 70, "strokeWidth": 2, "tooltip": True}
    step = {"type": "text", "dy": -14, "fontSize": 12, "fontWeight": "bold", "color": STEP}
    of_step = {"condition": {"test": "datum.step !== null", "value": STEP}, "value": QUIET}
    fill = {"condition": {"test": "datum.step !== null", "value": STEP}, "value": "transparent"}
    layers = [
        {"mark": DASHED, "encoding": {"x": None, "y": {"datum": 1, "type": "quantitative"}}},
        {"mark": line, "encoding": {"y": y, "order": None, **({"detail": {"field": line_of}} if line_of else {})}},
        {"mark": {"type": "rule", "size": 2}, "encoding": {**ends, "color": of_step}},
        {"mark": point, "encoding": {"y": y, "stroke": of_step, "fill": fill, "detail": {"field": "client"}}},
        {
            "transform": [{"filter": "datum.step !== null"}],
            "mark": step,
            "encoding": {
                "y": {**y, "field": "high"},
                "text": {"field": "step", "type": "quantitative", "format": ".2~f"},
            },
        },
    ]
    return facets("metric", {"height": 220, "encoding": {"x": x}, "layer": layers}, own=("x", "y"))


def laps(marks: Marks) -> Spec:
    """Return every slice, by round."""
    x = quantity("s", "seconds since the round's first slice", {"nice": False}, {"grid": False, "tickCount": 5})
    spec = {"height": 240, "encoding": {"x": x, "y": rps_axis()}, "layer": marks.curves()}
    return facets("round", spec, own=("x",), type="ordinal", header={"labelExpr": "'round ' + datum.value"})
