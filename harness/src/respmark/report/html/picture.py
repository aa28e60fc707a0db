"""One chart of the page as a picture, for places that cannot show a page."""

import json
from collections.abc import Sequence
from copy import deepcopy
from textwrap import wrap
from types import ModuleType
from typing import Any, Final

from respmark.errors import InvalidRequestError
from respmark.figures.series import History, machine_of
from respmark.report.header import NOT_WHOLE, machine_name
from respmark.report.html import vega
from respmark.report.html.chart_forms import ChartKey, form_of
from respmark.report.html.charts import Chart, Value, chart_of, charts, rounded
from respmark.report.html.templates import harmless
from respmark.report.html.vega import VEGA_LITE, Spec
from respmark.report.html.view import ChartRow, View
from respmark.report.labels import plural
from respmark.report.series import client_label, label_of
from respmark.results.manifest import RunStatus

ROWS: Final = "rows"
"""Name under which a spec finds its data."""
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH_PX: Final = 900
"""Width of all facets together, without what is beside them."""
CAPTION: Final = 140
"""Characters per line below the title."""
OVER_RUNS: Final = (
    "Each run's ratio to the control that took turns with the client; lines are 95 % intervals. A filled point with a "
    "number is a step: the factor since the run before on the same machine, where a difference is shown, corrected for "
    "all steps of a figure. No line joins two machines."
)


def picture(view: View, key: ChartKey, use: str | None = None) -> Spec:
    """Return a chart as a Vega-Lite spec that includes its data.

    `use` is a scenario, or a scenario and shape as tables write it; by default, the first for which the chart has
    figures. Raises InvalidRequestError if the run has no such chart or use, or the chart has no figures for it.
    """
    chart = chart_of(view, key)
    if not chart.rows:
        has = ", ".join(one.key for one in charts(view))
        raise InvalidRequestError(f"chart {key}: this run has nothing for it; it has: {has}")
    for row in view.rows:
        if use in {None, row.label, row.cell.scenario} and (values := _values(chart, row)):
            made: Spec = harmless(_drawn(view, chart, row, values))
            return made
    labels = "; ".join(row.label for row in view.rows)
    raise InvalidRequestError(f"--use {use}: chart `{key}` has nothing of it; the run has: {labels}")


def history_picture(history: History) -> Spec:
    """Return clients that several runs have as a Vega-Lite spec that includes its data: a facet a client and figure."""
    runs = {point.cell.run.manifest.run_id for one in history.series for point in one.points}
    values = [
        {
            "metric": f"{client_label(one, history.series)}: {one.cell.run.kind.compared[metric].name}",
            "client": one.cell.client,
            "release": f"{point.cell.run.manifest.started_at:%Y-%m-%d %H:%M}",
            **dict(zip(("value", "low", "high"), rounded(ratio.value, ratio.low, ratio.high), strict=True)),
            "step": rounded(point.steps[metric].value)[0] if metric in point.steps else None,
            "machine": machine_of(point.cell.run),
        }
        for one in history.series
        if len(one.points) > 1
        for metric in one.cell.run.kind.in_series
        for point in one.points
        if (ratio := point.to(metric)).is_known
    ]
    if not values:
        raise InvalidRequestError(f"no client took turns with {history.control} in two of these runs: nothing to draw")
    title = {"text": f"ratios to {history.control} over {plural(len(runs), 'run')}", "offset": 16}
    head = {"config": vega.config([], font=vega.PICTURE_FONT), "title": {**title, "subtitle": wrap(OVER_RUNS, CAPTION)}}
    chart = deepcopy(form_of(ChartKey.RELEASES).spec)
    line = next(layer for layer in chart["spec"]["layer"] if layer["mark"]["type"] == "line")
    line["encoding"]["detail"] = {"field": "machine"}
    made: Spec = harmless(with_data(chart, head, values, 2))
    return made


def _values(chart: Chart, row: ChartRow) -> list[dict[str, Value]]:
    """Return the chart's values for a row, or for all rows that share a chart with it."""
    values = (dict(zip(chart.form.fields, value, strict=True)) for value in chart.rows)
    pick = chart.form.pick
    if pick == "row":
        return [value for value in values if value["row"] == row.number]
    return [value for value in values if value["group"] == row.groups[pick]]


def _drawn(view: View, chart: Chart, row: ChartRow, values: list[dict[str, Value]]) -> Spec:
    clients = [str(client) for client in dict.fromkeys(value["client"] for value in values) if client]
    head = {"config": view.config(font=vega.PICTURE_FONT), "title": _title(view, chart, row)}
    return with_data(named_in_legend(chart.spec, clients), head, values, chart.form.columns)


def with_data(chart: Spec, head: Spec, values: Sequence[dict[str, Value]], most_columns: int) -> Spec:
    """Return a chart with its data, as wide as pictures are.

    `head` has its configuration and title; `most_columns` is how many facets stand side by side, 0 if there are none.
    """
    spec = {"$schema": SCHEMA, "data": {"name": ROWS}, **chart, **head, "datasets": {ROWS: list(values)}}
    if not most_columns:
        return {**spec, "width": WIDTH_PX}
    columns = min(most_columns, len({value[spec["facet"]["field"]] for value in values}))
    return {**spec, "columns": columns, "spec": {**spec["spec"], "width": WIDTH_PX // columns}}


def named_in_legend(part: Any, clients: Sequence[str]) -> Any:  # noqa: ANN401 - any part of a spec
    """Return a spec whose legends name these clients only: scales have all clients of the run."""
    if isinstance(part, list):
        return [named_in_legend(one, clients) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: named_in_legend(one, clients) for key, one in part.items()}
    if part.get("field") == "client" and part.get("legend"):
        made["legend"] = {**part["legend"], "values": list(clients)}
    return made


def _title(view: View, chart: Chart, row: ChartRow) -> Spec:
    manifest, rows = view.report.manifest, [row]
    of, title = row.label, chart.form.title[0].lower() + chart.form.title[1:]
    if (pick := chart.form.pick) != "row":
        of = row.groups[pick]
        rows = [one for one in view.rows if one.groups[pick] == of]
    if chart.key is ChartKey.FOREST:
        title = f"ratios to {view.baseline.name}"
    if chart.key is ChartKey.RELEASES:
        nouns = [one.noun for one in view.report.kind.named(view.report.kind.in_series)]
        of, title = _releases_of(view, row), f"{' and '.join(nouns)} by release"
    lost = dict.fromkeys(place.column.name for one in rows for place in one.measured if place.cell.is_partial)
    whole = "" if manifest.status is RunStatus.COMPLETE else f"{NOT_WHOLE} ({manifest.status}). "
    server = manifest.servers[manifest.first_server].version
    which = f"{whole}Run {manifest.run_id}, {plural(manifest.rounds, 'round')}, {server}, "
    below = (
        chart.form.caption,
        f"Rounds or slices are lost, and figures are of the others: {', '.join(lost)}." if lost else "",
        which + f"{machine_name(manifest.machine)}.",
    )
    return {
        "text": f"{of}: {title}",
        "subtitle": [line for text in below for line in wrap(text, CAPTION)],
        "offset": 16,
    }


def _releases_of(view: View, row: ChartRow) -> str:
    """Return the library and the use in words: `redis-py in sync`."""
    timelines, shown = view.report.timelines, {place.cell.cell_id for place in row.measured}
    found = (one for one in timelines if any(release.cell.cell_id in shown for release in one.points))
    return label_of(next(found), timelines)


def svg(spec: dict[str, Any]) -> str:
    """Return a chart as SVG; text is set in the reader's own fonts."""
    made: str = _vega().vegalite_to_svg(json.dumps(spec), vl_version=VEGA_LITE, allowed_base_urls=[])
    return made


def png(spec: dict[str, Any]) -> bytes:
    """Return a chart as PNG, with two pixels for each of the page's."""
    made: bytes = _vega().vegalite_to_png(json.dumps(spec), vl_version=VEGA_LITE, scale=2, allowed_base_urls=[])
    return made


def _vega() -> ModuleType:
    try:
        import vl_convert  # noqa: PLC0415 - takes 8 MB, and only pictures need it
    except ImportError as error:
        raise InvalidRequestError(
            "pictures need the package vl-convert-python, 88 MB: install `respmark[pictures]`"
        ) from error
    return vl_convert
