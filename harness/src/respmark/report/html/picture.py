"""A chart of the page as a picture, for places that cannot show a page: a README, a pull request."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

from respmark.errors import InvalidRequestError
from respmark.report.header import NOT_WHOLE, machine_words
from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Spec, Value
from respmark.report.html.charts.every import charts
from respmark.report.html.data import harmless
from respmark.report.html.theme import PICTURE_FONT, config
from respmark.report.html.view import Row, View
from respmark.results.manifest import RunStatus
from respmark.specs.post import PostSpec

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH_PX: Final = 900
"""Width of all facets together, without what is beside them."""
CAPTION: Final = 140
"""Characters per line below the title."""
NAMED: Final = frozenset({ChartKey.FOREST, ChartKey.FRONTIER, ChartKey.HEAT})
"""Charts that name each client in place; the others need a legend."""
TOLD: Final = frozenset({"color", "strokeDash"})
"""Channels that the legend explains; symbols only show the client's language, as hues do."""
LEGEND: Final = {
    "title": None,
    "orient": "bottom",
    "columns": 4,
    "labelLimit": 240,
    "symbolFillColor": "white",
    "symbolOpacity": 1,
    "symbolSize": 160,
    "symbolStrokeWidth": 2,
}


def picture(view: View, published: PostSpec, key: ChartKey, use: str | None = None) -> Spec:
    """Return a chart as a Vega-Lite spec that includes its data.

    `use` is a scenario, or a scenario and shape as tables write it; by default, the first for which the chart has
    figures.

    Raises:
        InvalidRequestError: the run has no such chart or use, or the chart has no figures for it.
    """
    found = {chart.key: chart for chart in charts(view, published)}
    chart = found.get(key)
    if chart is None:
        message = f"--chart {key}: this run has nothing for it; it has: {', '.join(found)}"
        raise InvalidRequestError(message)
    row = next((row for row in _rows(view, use) if _values(chart, row)), None)
    if row is None:
        labels = "; ".join(row.label for row in view.rows)
        message = f"--use {use}: chart `{key}` has nothing of it; the run has: {labels}"
        raise InvalidRequestError(message)
    made: Spec = harmless(_drawn(view, chart, row))
    return made


def _rows(view: View, use: str | None) -> Iterator[Row]:
    return (row for row in view.rows if use in {None, row.label, row.scenario})


def _values(chart: Chart, row: Row) -> list[dict[str, Value]]:
    """Return the chart's values for a row, or for all rows that share a chart with it."""
    values = (dict(zip(chart.fields, value, strict=True)) for value in chart.rows)
    if chart.pick == "row":
        return [value for value in values if value["row"] == row.number]
    return [value for value in values if value["group"] in row.groups]


def _drawn(view: View, chart: Chart, row: Row) -> Spec:
    values = _values(chart, row)
    spec = {
        "$schema": SCHEMA,
        **chart.spec,
        "config": config([column.look for column in view.columns], font=PICTURE_FONT),
        "title": _title(view, chart, row),
        "datasets": {DATA: values},
    }
    if chart.key not in NAMED:
        spec = _with_legend(spec, [client for client in dict.fromkeys(value["client"] for value in values) if client])
    if not chart.columns:
        return {**spec, "width": WIDTH_PX}
    columns = min(chart.columns, len({value[spec["facet"]["field"]] for value in values}))
    return {**spec, "columns": columns, "spec": {**spec["spec"], "width": WIDTH_PX // columns}}


def _title(view: View, chart: Chart, row: Row) -> Spec:
    group = row.family if chart.key is ChartKey.DEPTH else row.scenario_label
    of = row.label if chart.pick == "row" else group
    title = chart.title[0].lower() + chart.title[1:]
    what = f"ratios to {view.baseline.name}" if chart.key is ChartKey.FOREST else title
    rows = [row] if chart.pick == "row" else [one for one in view.rows if set(one.groups) & set(row.groups)]
    below = [line for text in (chart.caption, _lost(rows), _origin(view)) for line in wrap(text, CAPTION)]
    return {"text": f"{of}: {what}", "subtitle": below, "offset": 16}


def _lost(rows: Sequence[Row]) -> str:
    """Return which clients lost rounds or slices, in a sentence; empty if none did."""
    lost = dict.fromkeys(place.column.name for row in rows for place in row.measured if place.cell.is_partial)
    return f"Rounds or slices are lost, and figures are of the others: {', '.join(lost)}." if lost else ""


def _origin(view: View) -> str:
    """Return which run the picture shows, in words: it is seen without the page around it."""
    manifest = view.manifest
    whole = "" if manifest.status is RunStatus.COMPLETE else f"{NOT_WHOLE} ({manifest.status}). "
    rounds = f"{manifest.rounds} round{'s' if manifest.rounds > 1 else ''}"
    return f"{whole}Run {manifest.run_id}, {rounds}, {manifest.target.version}, {machine_words(manifest.machine)}."


def _with_legend(part: Any, clients: Sequence[Value]) -> Any:  # noqa: ANN401 - any part of a spec
    """Return a part of a spec with a legend of these clients, by the colours and dashes of their lines."""
    if isinstance(part, list):
        return [_with_legend(one, clients) for one in part]
    if not isinstance(part, dict):
        return part
    told = {key for key, value in part.items() if key in TOLD and isinstance(value, dict)}
    return {
        key: {**value, "legend": {**LEGEND, "values": clients}} if key in told else _with_legend(value, clients)
        for key, value in part.items()
    }
