"""The published curves of a post beside the run's own."""

from collections.abc import Iterator, Mapping

from respmark.contract.trial import Scenario, Shape
from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, log_axis, rounded, tooltip
from respmark.report.html.view import MatrixCell, View
from respmark.specs.post import PostColumn, PostSpec, PostTable

FIELDS = {
    "group": "scenario",
    "table": "table",
    "source": "source",
    "client": "client",
    "at": "at",
    "rps": "commands per second",
}
PUBLISHED, OWN = "published", "this run"
Found = dict[tuple[str, str, str], MatrixCell]


def post(view: View, spec: PostSpec) -> Chart:
    """Return the chart: the post's curves for which this run has a point, with the suite's own workload."""
    scales = client_scales(view)
    x, y = log_axis("at", "depth or threads", format="~r"), log_axis("rps", "commands per second")
    tips = tooltip(source="source", client="client", at="depth or threads", rps="commands per second")
    published, own = f"datum.source === '{PUBLISHED}'", f"datum.source === '{OWN}'"
    layers = [
        {
            "transform": [{"filter": published}],
            "mark": {
                "type": "line",
                "color": "gray",
                "strokeDash": [5, 4],
                "point": {"color": "gray", "shape": "cross"},
            },
            "encoding": {"x": x, "y": y, "detail": {"field": "client"}, "tooltip": tips},
        },
        {
            "transform": [{"filter": own}],
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": scales["color"], "strokeDash": scales["dash"]},
        },
        {
            "transform": [{"filter": own}],
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": scales["color"], "shape": scales["shape"], "tooltip": tips},
        },
    ]
    rows = [row for row in view.rows if row.workload not in view.manifest.other_workloads]
    found: Found = {
        (place.column.name, row.scenario, row.shape.model_dump_json()): place for row in rows for place in row.measured
    }
    groups = {row.scenario: row.scenario_label for row in rows}
    curves = (curve for table in spec.tables if len(table.axes) == 1 for curve in _table(table, found, groups))
    return Chart(
        ChartKey.POST,
        "Beside what was published",
        f"Dashed and grey: {spec.title} ({spec.source}). Its machines, network, server and versions were others: "
        "compare how figures change along a curve, not the curves' heights.",
        {
            "data": {"name": DATA},
            "facet": {"field": "table", "type": "nominal", "sort": None, "title": None, "header": {"labelLimit": 420}},
            "columns": 2,
            "spec": {"height": 220, "layer": layers},
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
        },
        FIELDS,
        [list(point) for curve in curves for point in curve],
        pick="group",
        columns=2,
    )


def _table(table: PostTable, found: Found, groups: Mapping[Scenario, str]) -> Iterator[list[list[Value]]]:
    for number, column in enumerate(table.columns):
        shapes = [(row.at[0], column.shape_at(table.axes, row.at)) for row in table.rows]
        own = [
            point
            for client in column.clients
            for at, shape in shapes
            for point in _own(column, client, at, shape, found)
        ]
        if not own or "rps" not in column.figures:
            continue
        place = column.figures.index("rps")
        title = table.title if len(table.columns) == 1 else f"{table.title}: {column.title}"
        curve: list[list[Value]] = [[PUBLISHED, "", row.at[0], row.published[number][place]] for row in table.rows]
        yield [[groups[column.scenario], title, *point] for point in [*curve, *own]]


def _own(column: PostColumn, client: str, at: int, shape: Shape, found: Found) -> Iterator[list[Value]]:
    place = found.get((client, column.scenario, shape.model_dump_json()))
    if place is not None:
        yield [OWN, client, at, rounded(place.rps)]
