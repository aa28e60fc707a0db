"""Throughput and CPU per command against depth."""

from collections import defaultdict

from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, log_axis, rounded, tooltip
from respmark.report.html.view import MatrixCell, Row, View

FIELDS = {
    "group": "scenario",
    "metric": "figure",
    "client": "client",
    "depth": "depth",
    "value": "value",
    "low": "lowest round",
    "high": "highest round",
}
RPS, CPU = "commands per second", "client CPU, µs per command"


def depth(view: View) -> Chart:
    """Return the chart; it has rows if a scenario was measured at two depths or more."""
    scales = client_scales(view)
    x = log_axis("depth", "depth", format="~r")
    y = {**log_axis("value", ""), "title": None}
    tips = tooltip(client="client", depth="depth", value="value", low="lowest round", high="highest round")
    color = scales["color"]
    layers = [
        {
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": color, "strokeDash": scales["dash"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": color, "shape": scales["shape"], "tooltip": tips},
        },
    ]
    return Chart(
        ChartKey.DEPTH,
        "Throughput and CPU against depth",
        "Both axes are logarithmic. Bands span the lowest and highest round; the intervals of ratios are narrower, "
        "because they are of the same laps.",
        {
            "data": {"name": DATA},
            "facet": {"field": "metric", "type": "nominal", "sort": [RPS, CPU], "title": None},
            "columns": 2,
            "spec": {"height": 300, "layer": layers},
            "resolve": {"scale": {"y": "independent"}},
        },
        FIELDS,
        [point for group, rows in _groups(view).items() for row in rows for point in _points(group, row)],
        pick="group",
        columns=2,
    )


def _groups(view: View) -> dict[str, list[Row]]:
    """Return the rows that differ only in depth, by what they have in common."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in view.rows:
        if row.shape.depth is not None and row.measured:
            groups[row.family].append(row)
    return {group: rows for group, rows in groups.items() if len(rows) > 1}


def _points(group: str, row: Row) -> list[list[Value]]:
    return [point for place in row.measured for point in _of_place(group, row.shape.depth, place)]


def _of_place(group: str, depth: int | None, place: MatrixCell) -> list[list[Value]]:
    measured, costs = place.measured, place.costs
    rps = (measured.rps_median, measured.rps_min, measured.rps_max)
    cpu = (measured.client_cpu_us_per_command, min(costs), max(costs))
    name = place.column.name
    return [
        [group, RPS, name, depth, *map(rounded, rps)],
        [group, CPU, name, depth, *map(rounded, cpu)],
    ]
