"""Ratios to the baseline with their intervals."""

from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, rounded, tooltip
from respmark.report.html.view import Column, Row, View
from respmark.statistics.measured import RATIO_NAMES

FIELDS = {
    "row": "row",
    "metric": "figure",
    "client": "client",
    "value": "ratio to the baseline",
    "low": "95 % interval from",
    "high": "to",
    "known": "difference",
}
SHOWN, NOT_SHOWN, BASELINE = "shown", "not shown", "baseline"


def forest(view: View, baseline: Column | None = None) -> Chart:
    """Return the chart; for another baseline, the page makes its rows anew."""
    chosen = baseline or view.baseline
    color = client_scales(view)["color"]
    x = {
        "field": "value",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 10},
        "axis": {"title": "ratio to the baseline", "format": "~g", "tickCount": 5},
    }
    y = {"field": "client", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 220, "grid": True}}
    tips = tooltip(client="client", value="ratio", low="95 % interval from", high="to", known="difference")
    point = {
        "condition": {
            "test": f"datum.known === '{SHOWN}'",
            "field": "client",
            "type": "nominal",
            "scale": color["scale"],
        },
        "value": "transparent",
    }
    layers = [
        {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": {"datum": 1, "type": "quantitative"}}},
        {
            "mark": {"type": "rule", "size": 2},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": color},
        },
        {
            "mark": {"type": "point", "filled": False, "size": 70, "opacity": 1, "strokeWidth": 2},
            "encoding": {
                "x": x,
                "y": y,
                "stroke": {key: color[key] for key in ("field", "type", "scale", "legend")},
                "fill": {**point, "legend": None},
                "tooltip": tips,
            },
        },
    ]
    return Chart(
        ChartKey.FOREST,
        "Ratios with their intervals",
        "Ratios are of the same laps; lines are 95 % intervals over rounds. A filled point is a difference that is "
        "shown, corrected for all pairs of clients in the row; a hollow one is not shown.",
        {
            "data": {"name": DATA},
            "facet": {"field": "metric", "type": "nominal", "sort": None, "title": None},
            "columns": 3,
            "spec": {"height": {"step": 26}, "layer": layers},
            "resolve": {"scale": {"x": "independent"}},
        },
        FIELDS,
        [ratio for row in view.rows for ratio in _ratios(row, chosen)],
        columns=3,
    )


def _ratios(row: Row, baseline: Column) -> list[list[Value]]:
    to = row.by_column.get(baseline.number)
    if to is None:
        return []
    found: list[list[Value]] = []
    for metric, name in RATIO_NAMES.items():
        for place in row.measured:
            if place is to:
                found.append([row.number, name, place.column.name, 1, 1, 1, BASELINE])
            elif (ratio := row.ratio(metric, place, to)) is not None:
                values = map(rounded, (ratio.value, ratio.low, ratio.high))
                found.append([row.number, name, place.column.name, *values, SHOWN if ratio.shown else NOT_SHOWN])
    return found
