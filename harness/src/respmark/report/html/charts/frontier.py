"""Throughput against CPU: which client gives the most for what it costs."""

from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, log_axis, rounded, tooltip
from respmark.report.html.view import MatrixCell, View

FIELDS = {
    "row": "row",
    "client": "client",
    "rps": "commands per second",
    "rps_low": "lowest round",
    "rps_high": "highest round",
    "cpu": "client CPU, µs per command",
    "cpu_low": "lowest round, µs",
    "cpu_high": "highest round, µs",
    "server": "server CPU, µs per command",
}


def frontier(view: View) -> Chart:
    """Return the chart: one point per client, the span of its rounds as a cross, and the line of the best."""
    scales = client_scales(view)
    x, y = log_axis("cpu", "client CPU, µs per command", format=",~r"), log_axis("rps", "commands per second")
    tips = tooltip(
        client="client",
        rps="commands per second",
        cpu="client CPU, µs per command",
        server="server CPU, µs per command",
    )
    best = [
        {
            "sort": [{"field": "cpu", "order": "ascending"}],
            "window": [{"op": "max", "field": "rps", "as": "best"}],
            "frame": [None, 0],
        },
        {"filter": "datum.rps >= datum.best"},
    ]
    layers = [
        {
            "transform": best,
            "mark": {
                "type": "line",
                "interpolate": "step-after",
                "strokeDash": [4, 4],
                "opacity": 0.6,
                "color": "gray",
            },
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "rule", "opacity": 0.55},
            "encoding": {"x": x, "y": {**y, "field": "rps_low"}, "y2": {"field": "rps_high"}, "color": scales["color"]},
        },
        {
            "mark": {"type": "rule", "opacity": 0.55},
            "encoding": {"x": {**x, "field": "cpu_low"}, "x2": {"field": "cpu_high"}, "y": y, "color": scales["color"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": scales["color"], "shape": scales["shape"], "tooltip": tips},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9, "limit": 180, "fontSize": 11},
            "encoding": {"x": x, "y": y, "text": {"field": "client"}},
        },
    ]
    return Chart(
        ChartKey.FRONTIER,
        "Throughput against CPU",
        "Up and to the left is better. The dashed line joins the clients that none surpasses in both. "
        "Crosses span the lowest and highest round; they are no intervals of ratios.",
        {"data": {"name": DATA}, "height": 340, "layer": layers},
        FIELDS,
        [_point(row.number, place) for row in view.rows for place in row.measured],
        columns=0,
    )


def _point(row: int, place: MatrixCell) -> list[Value]:
    measured, costs = place.measured, place.costs
    values = (
        measured.rps_median,
        measured.rps_min,
        measured.rps_max,
        measured.client_cpu_us_per_command,
        min(costs),
        max(costs),
        measured.server_cpu_us_per_command,
    )
    return [row, place.column.name, *map(rounded, values)]
