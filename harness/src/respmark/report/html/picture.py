"""A chart of the page as a picture (SVG), for where no page can be opened."""

from typing import Final

from respmark.escaping import line
from respmark.report.html import vega
from respmark.report.html.charts.chart import drawn
from respmark.report.html.charts.forest import forest
from respmark.report.html.view import Row, View

WIDTH_PX: Final = 900


def ratios_picture(view: View, row: Row) -> str:
    """Return the ratios of a row to its baseline, with their intervals."""
    chart = forest(view)
    title = {
        "text": line(f"{row.label}: ratios to {view.baseline.name}, with 95 % intervals"),
        "subtitle": "filled: a difference is shown, corrected for all pairs; hollow: it is not; CPU is of a command",
        "offset": 16,
    }
    rows = [
        [line(one) if isinstance(one, str) else one for one in value] for value in chart.rows if value[0] == row.number
    ]
    return vega.svg(drawn(view, chart, rows, WIDTH_PX, title)) + "\n"
