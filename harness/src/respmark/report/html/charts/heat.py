"""Threads and connections: throughput as a heat map."""

from collections import defaultdict

from respmark.contract.trial import Scenario
from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, rounded, tooltip
from respmark.report.html.view import Row, View

FIELDS = {
    "group": "scenario",
    "client": "client",
    "threads": "threads",
    "connections": "connections at most, or clients",
    "rps": "commands per second",
}
SIDE_PX = 220


def heat(view: View) -> Chart:
    """Return the chart; it has rows if threads or pools were measured in two shapes or more."""
    x = {"field": "threads", "type": "ordinal", "axis": {"title": "threads", "labelAngle": 0}}
    y = {"field": "connections", "type": "ordinal", "sort": "descending", "axis": {"title": FIELDS["connections"]}}
    color = {
        "field": "rps",
        "type": "quantitative",
        "scale": {"type": "log", "scheme": "viridis"},
        "legend": {"title": "commands per second", "format": "~s", "orient": "bottom", "tickCount": 4},
    }
    tips = tooltip(client="client", threads="threads", connections="connections", rps="commands per second")
    layers = [
        {"mark": {"type": "rect"}, "encoding": {"x": x, "y": y, "color": color, "tooltip": tips}},
        {
            "mark": {"type": "text", "stroke": "black", "strokeWidth": 2.5, "strokeOpacity": 0.55, "color": "white"},
            "encoding": {"x": x, "y": y, "text": {"field": "rps", "type": "quantitative", "format": ".3~s"}},
        },
        {
            "mark": {"type": "text", "color": "white"},
            "encoding": {"x": x, "y": y, "text": {"field": "rps", "type": "quantitative", "format": ".3~s"}},
        },
    ]
    return Chart(
        ChartKey.HEAT,
        "Threads and connections",
        "Brighter is more commands per second. The scale is logarithmic and the same for all clients.",
        {
            "data": {"name": DATA},
            "facet": {"field": "client", "type": "nominal", "sort": None, "title": None},
            "columns": 3,
            "spec": {"height": SIDE_PX, "layer": layers},
        },
        FIELDS,
        [point for rows in _groups(view).values() for row in rows for point in _points(row)],
        pick="group",
        columns=3,
    )


def _groups(view: View) -> dict[str, list[Row]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in view.rows:
        if row.scenario in {Scenario.THREADS, Scenario.POOL} and row.measured:
            groups[row.scenario_label].append(row)
    return {label: rows for label, rows in groups.items() if len(rows) > 1}


def _points(row: Row) -> list[list[Value]]:
    connections = row.shape.max_total if row.scenario is Scenario.POOL else row.shape.connections
    return [
        [row.scenario_label, place.column.name, row.shape.threads, connections, rounded(place.rps)]
        for place in row.measured
    ]
