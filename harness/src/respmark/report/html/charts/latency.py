"""Latency by percentile."""

from respmark.histogram import percentiles_ns
from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, log_axis, rounded, tooltip
from respmark.report.html.view import MatrixCell, View

PERCENTILES = (0, 10, 25, 50, 60, 70, 80, 90, 93, 95, 97, 98, 99, 99.5, 99.7, 99.9, 99.95, 99.99, 99.995, 99.999)
TICKS = (1, 2, 10, 100, 1000, 10_000, 100_000)
FIELDS = {"row": "row", "client": "client", "percentile": "percentile", "rank": "1 in", "ms": "ms"}


def latency(view: View) -> Chart:
    """Return the chart; percentiles with fewer than two samples beyond them are left out."""
    scales = client_scales(view)
    x = {
        "field": "rank",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {
            "title": "percentile",
            "values": list(TICKS),
            "labelExpr": "datum.value === 1 ? '0' : format(100 - 100 / datum.value, '~r') + ' %'",
            "labelOverlap": True,
        },
    }
    y = log_axis("ms", "milliseconds", format="~r")
    tips = tooltip(client="client", percentile="percentile", ms="milliseconds")
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": scales["color"], "strokeDash": scales["dash"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": scales["color"], "shape": scales["shape"], "tooltip": tips},
        },
    ]
    return Chart(
        ChartKey.LATENCY,
        "Latency by percentile",
        "Of what one sample covers (a command, burst, batch, transaction or connection), all rounds together. A client "
        "that waits for its reply sends nothing meanwhile: these are service times. They are reported, never claimed.",
        {"data": {"name": DATA}, "height": 320, "layer": layers},
        FIELDS,
        [point for row in view.rows for place in row.measured for point in _curve(row.number, place)],
        columns=0,
    )


def _curve(row: int, place: MatrixCell) -> list[list[Value]]:
    histogram = place.measured.latency
    known = [percentile for percentile in PERCENTILES if histogram.samples * (100 - percentile) >= 200]  # noqa: PLR2004 - two samples
    return [
        [row, place.column.name, percentile, rounded(100 / (100 - percentile)), rounded(value_ns / 1e6)]
        for percentile, value_ns in zip(known, percentiles_ns(histogram, known), strict=False)
    ]
