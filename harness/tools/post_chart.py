"""The published post's curves beside a run's own, as a chart of the page of a published run."""

from collections.abc import Iterator
from typing import Final

from respmark.report.html.chart_forms import ChartForm
from respmark.report.html.charts import Chart, Values, measured_in, rounded
from respmark.report.html.view import View
from tools.post import PostSpec

KEY: Final = "post"
LOG: Final = {"type": "log", "nice": False, "padding": 12}
AXES: Final = {
    "x": {
        "field": "at",
        "type": "quantitative",
        "title": "depth or threads",
        "scale": LOG,
        "axis": {"format": "~r", "tickCount": 5},
    },
    "y": {
        "field": "rps",
        "type": "quantitative",
        "title": "commands per second",
        "scale": LOG,
        "axis": {"format": "~s", "tickCount": 5, "gridOpacity": 0.7},
    },
}
GRAY: Final = {"type": "line", "color": "gray", "strokeDash": [5, 4], "point": {"color": "gray", "shape": "cross"}}
OWN: Final = [
    {"mark": "line", "encoding": {"strokeDash": "$dash in legend", "color": "$color in legend"}},
    {
        "mark": {"type": "point", "tooltip": True},
        "encoding": {"shape": "$shape in legend", "color": "$color in legend"},
    },
]
SPEC: Final = {
    "facet": {"field": "table", "type": "nominal", "sort": None, "title": None, "header": {"labelLimit": 420}},
    "resolve": {"scale": {"x": "independent", "y": "independent"}},
    "spec": {
        "height": 220,
        "encoding": AXES,
        "layer": [
            {"transform": [{"filter": "datum.source === 'published'"}], "mark": GRAY},
            {"transform": [{"filter": "datum.source === 'this run'"}], "layer": OWN},
        ],
    },
}
FORM: Final = ChartForm(
    title="Beside what was published",
    caption=(
        "Dashed and grey: the AWS Database Blog's post of 2022. Its machines, network, server and "
        "versions were others: compare how figures change along a curve, not the curves' heights."
    ),
    spec=SPEC,
    fields={
        "group": "scenario",
        "table": "table",
        "source": "source",
        "client": "client",
        "at": "depth or threads",
        "rps": "commands per second",
    },
    columns=2,
    pick="scenario",
)


def post_chart(view: View, spec: PostSpec) -> Chart:
    """Return the chart; without rows, if the run has no point of the post."""
    return Chart(KEY, FORM, view.marks.in_spec(FORM.spec), list(_rows(view, spec)))


def _rows(view: View, spec: PostSpec) -> Iterator[Values]:
    """Yield each curve of the post of which the run has a point, and the run's own."""
    first = view.report.manifest.first_workload
    found = {
        (place.column.name, row.cell.scenario, row.cell.shape): (
            row.groups["scenario"],
            *rounded(place.measured.rps_median),
        )
        for row, place in measured_in(view)
        if row.cell.workload == first
    }
    curves = [
        (table, number, column)
        for table in spec.tables
        for number, column in enumerate(table.columns)
        if len(table.axes) == 1 and "rps" in column.figures
    ]
    for table, number, column in curves:
        points = [(row, (column.scenario, column.shape_at(table.axes, row.at))) for row in table.rows]
        own = [
            (client, row.at[0], *found[client, *place])
            for client in column.clients
            for row, place in points
            if (client, *place) in found
        ]
        title = table.title if len(table.columns) == 1 else f"{table.title}: {column.title}"
        figure = column.figures.index("rps")
        for row in table.rows if own else ():
            yield [own[0][2], title, "published", "", row.at[0], row.published[number][figure]]
        for client, at, _, rps in own:
            yield [own[0][2], title, "this run", client, at, rps]
