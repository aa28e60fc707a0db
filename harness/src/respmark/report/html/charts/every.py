"""All charts, in the order of the page."""

from respmark.report.html.charts.chart import Chart
from respmark.report.html.charts.depth import depth
from respmark.report.html.charts.forest import forest
from respmark.report.html.charts.frontier import frontier
from respmark.report.html.charts.heat import heat
from respmark.report.html.charts.laps import laps
from respmark.report.html.charts.latency import latency
from respmark.report.html.charts.post import post
from respmark.report.html.view import View
from respmark.specs.post import PostSpec


def charts(view: View, published: PostSpec) -> list[Chart]:
    """Return the charts that have something to show."""
    every = [
        forest(view),
        frontier(view),
        depth(view),
        latency(view),
        laps(view),
        heat(view),
        post(view, published),
    ]
    return [chart for chart in every if chart.rows]
