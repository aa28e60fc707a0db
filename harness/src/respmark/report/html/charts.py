"""The charts of the page and of pictures: Vega-Lite's specs, and their data as rows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

import numpy as np

from respmark.contract.trial import Scenario
from respmark.histogram import percentiles_ns
from respmark.report.html.view import Place, Row, View
from respmark.specs.post import PostSpec, PostTable
from respmark.statistics.measured import RATIO_NAMES

Spec = dict[str, Any]
Value = str | float | int | bool | None
Values = list[Value]
DATA: Final = "rows"
"""Name under which a spec finds its data."""
PERCENTILES: Final = (
    *(0, 10, 25, 50, 60, 70, 80, 90, 93, 95, 97, 98, 99),
    *(99.5, 99.7, 99.9, 99.95, 99.99, 99.995, 99.999),
)
DRAWN: Final = 9
"""How many rounds are drawn at most: a page of a hundred facets is slow, and nobody reads them."""
RPS, CPU = "commands per second", "client CPU, µs per command"
PUBLISHED, OWN = "published", "this run"


class ChartKey(StrEnum):
    """Name of a chart in the command, in the page's address and in its anchors."""

    FOREST = "forest"
    FRONTIER = "frontier"
    DEPTH = "depth"
    LATENCY = "latency"
    LAPS = "laps"
    HEAT = "heat"
    POST = "post"


@dataclass(frozen=True)
class Chart:
    """One chart."""

    key: ChartKey
    title: str
    caption: str
    """What the chart shows, and what it does not."""
    spec: Spec
    """Without data, widths and colours."""
    fields: Mapping[str, str]
    """Heading of each column in the table behind the chart, by field."""
    rows: Sequence[Values]
    """Values in the order of `fields`; `row` is the number of the matrix's row that a value belongs to."""
    pick: Literal["row", "group"] = "row"
    """Field by which the reader picks what is shown."""
    columns: int = 1
    """Facets side by side if there is room; 0 if the chart has none."""


def charts(view: View, published: PostSpec) -> list[Chart]:
    """Return the charts that have something to show, in the order of the page."""
    every = (_forest, _frontier, _depth, _latency, _laps, _heat)
    return [chart for chart in (*(make(view) for make in every), _post(view, published)) if chart.rows]


def _scales(view: View) -> dict[str, Spec]:
    """Return the colours, symbols and dashes of clients; their legend is the page's list of clients."""
    names = [column.name for column in view.columns]
    field: Spec = {"field": "client", "type": "nominal", "legend": None}
    return {
        "color": {**field, "scale": {"domain": names, "range": "category"}},
        "shape": {**field, "scale": {"domain": names, "range": "symbol"}},
        "dash": {**field, "scale": {"domain": names, "range": [list(c.look.dash) for c in view.columns]}},
    }


def rounded(*values: float | None) -> Values:
    """Return values with the digits that a chart can show."""
    return [None if value is None else float(f"{value:.5g}") for value in values]


def _log(field: str, title: str, form: str = "~s", **axis: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """Return a quantitative channel on a logarithmic scale."""
    scale = {"type": "log", "nice": False, "padding": 12}
    axis = {"title": title, "format": form, "tickCount": 5, "gridOpacity": 0.7, **axis}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _tips(fields: Mapping[str, str], *names: str) -> list[Spec]:
    """Return a tooltip with these fields under their headings, and numbers with four digits."""
    words, figure = {"type": "nominal"}, {"type": "quantitative", "format": ",.4~r"}
    is_text = {"client", "known", "source"}
    return [{"field": name, "title": fields[name], **(words if name in is_text else figure)} for name in names]


def _curves(x: Spec, y: Spec, view: View, tips: list[Spec], size: int = 40) -> list[Spec]:
    """Return a line per client, with a point at each value."""
    scales = _scales(view)
    common = {"x": x, "y": y, "color": scales["color"]}
    line = {"type": "line", "strokeWidth": 2, "opacity": 0.85}
    point = {"type": "point", "filled": True, "size": size, "opacity": 1}
    return [
        {"mark": line, "encoding": {**common, "strokeDash": scales["dash"]}},
        {"mark": point, "encoding": {**common, "shape": scales["shape"], "tooltip": tips}},
    ]


def _facets(facet: Spec, layers: list[Spec], height: object, columns: int, independent: str = "") -> Spec:
    """Return facets side by side, with scales of their own where `independent` names them."""
    return {
        "data": {"name": DATA},
        "facet": {"type": "nominal", "sort": None, "title": None, **facet},
        "columns": columns,
        "spec": {"height": height, "layer": layers},
        "resolve": {"scale": dict.fromkeys(independent, "independent")},
    }


def _forest(view: View) -> Chart:
    """Ratios to the baseline; for another baseline, the page makes its rows anew."""
    fields = {
        **{"row": "row", "metric": "figure", "client": "client", "value": "ratio to the baseline"},
        **{"low": "95 % interval from", "high": "to", "known": "difference"},
    }
    color = _scales(view)["color"]
    x = _log("value", "ratio to the baseline", "~g")
    y = {"field": "client", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 220, "grid": True}}
    filled = {**{key: color[key] for key in ("field", "type", "scale")}, "test": "datum.known === 'shown'"}
    fill = {"condition": filled, "value": "transparent", "legend": None}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": {"datum": 1, "type": "quantitative"}}},
        {
            "mark": {"type": "rule", "size": 2},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": color},
        },
        {
            "mark": {"type": "point", "filled": False, "size": 70, "opacity": 1, "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "stroke": color, "fill": fill, "tooltip": _tips(fields, *list(fields)[2:])},
        },
    ]
    return Chart(
        ChartKey.FOREST,
        "Ratios with their intervals",
        "Ratios are of the same laps; lines are 95 % intervals over rounds. A filled point is a difference that is "
        "shown, corrected for all pairs of clients in the row; a hollow one is not shown.",
        _facets({"field": "metric"}, layers, {"step": 26}, 3, "x"),
        fields,
        [ratio for row in view.rows for ratio in _ratios(view, row)],
        columns=3,
    )


def _ratios(view: View, row: Row) -> Iterator[Values]:
    to = row.by_column.get(view.baseline.number)
    for metric, name in RATIO_NAMES.items() if to else ():
        for place in row.measured:
            if place is to:
                yield [row.number, name, place.column.name, 1, 1, 1, "baseline"]
            elif to and (ratio := row.ratio(metric, place, to)) is not None:
                known = "shown" if ratio.shown else "not shown"
                yield [row.number, name, place.column.name, *rounded(ratio.value, ratio.low, ratio.high), known]


def _frontier(view: View) -> Chart:
    """One point per client, the span of its rounds as a cross, and the line of the best."""
    fields = {
        **{"row": "row", "client": "client", "rps": RPS, "rps_low": "lowest round", "rps_high": "highest round"},
        **{"cpu": CPU, "cpu_low": "lowest round, µs", "cpu_high": "highest round, µs"},
        "server": "server CPU, µs per command",
    }
    scales = _scales(view)
    x, y = _log("cpu", CPU, ",~r"), _log("rps", RPS)
    best = [
        {
            "sort": [{"field": "cpu", "order": "ascending"}],
            "window": [{"op": "max", "field": "rps", "as": "best"}],
            "frame": [None, 0],
        },
        {"filter": "datum.rps >= datum.best"},
    ]
    stairs = {"type": "line", "interpolate": "step-after", "strokeDash": [4, 4], "opacity": 0.6, "color": "gray"}
    rule, color = {"type": "rule", "opacity": 0.55}, scales["color"]
    point = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    name = {"type": "text", "align": "left", "dx": 9, "dy": -9, "limit": 180, "fontSize": 11}
    up = {"x": x, "y": {**y, "field": "rps_low"}, "y2": {"field": "rps_high"}, "color": color}
    across = {"x": {**x, "field": "cpu_low"}, "x2": {"field": "cpu_high"}, "y": y, "color": color}
    tips = _tips(fields, "client", "rps", "cpu", "server")
    layers = [
        {"transform": best, "mark": stairs, "encoding": {"x": x, "y": y}},
        *({"mark": rule, "encoding": encoding} for encoding in (up, across)),
        {"mark": point, "encoding": {"x": x, "y": y, "color": color, "shape": scales["shape"], "tooltip": tips}},
        {"mark": name, "encoding": {"x": x, "y": y, "text": {"field": "client"}}},
    ]
    return Chart(
        ChartKey.FRONTIER,
        "Throughput against CPU",
        "Up and to the left is better. The dashed line joins the clients that none surpasses in both. "
        "Crosses span the lowest and highest round; they are no intervals of ratios.",
        {"data": {"name": DATA}, "height": 340, "layer": layers},
        fields,
        [
            [row.number, place.column.name, *rps, *cpu, *rounded(place.measured.server_cpu_us_per_command)]
            for row, place in _measured(view)
            for rps, cpu in [_spans(view, place)]
        ],
        columns=0,
    )


def _measured(view: View) -> list[tuple[Row, Place]]:
    return [(row, place) for row in view.rows for place in row.measured]


def _spans(view: View, place: Place) -> tuple[Values, Values]:
    """Return throughput and CPU, each with the lowest and highest of its rounds."""
    measured = place.measured
    cpu = measured.client_cpu_us_per_command
    costs = view.series.client_cpu(place.cell.cell_id) or [cpu]
    return rounded(measured.rps_median, measured.rps_min, measured.rps_max), rounded(cpu, min(costs), max(costs))


def _depth(view: View) -> Chart:
    """Throughput and CPU, if a scenario was measured at two depths or more."""
    fields = {
        **{"group": "scenario", "metric": "figure", "client": "client", "depth": "depth"},
        **{"value": "value", "low": "lowest round", "high": "highest round"},
    }
    x, y = _log("depth", "depth", "~r"), {**_log("value", ""), "title": None}
    span = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": _scales(view)["color"]}
    band = {"mark": {"type": "area", "opacity": 0.18}, "encoding": span}
    layers = [band, *_curves(x, y, view, _tips(fields, "client", "depth", "value", "low", "high"))]
    groups = _groups((row.family, row) for row in view.rows if row.shape.depth is not None)
    return Chart(
        ChartKey.DEPTH,
        "Throughput and CPU against depth",
        "Both axes are logarithmic. Bands span the lowest and highest round; the intervals of ratios are narrower, "
        "because they are of the same laps.",
        _facets({"field": "metric", "sort": [RPS, CPU]}, layers, 300, 2, "y"),
        fields,
        [
            [group, metric, place.column.name, row.shape.depth, *values]
            for group, rows in groups.items()
            for row in rows
            for place in row.measured
            for metric, values in zip((RPS, CPU), _spans(view, place), strict=True)
        ],
        pick="group",
        columns=2,
    )


def _groups(rows: Iterable[tuple[str, Row]]) -> dict[str, list[Row]]:
    """Return the rows with figures by group, of groups that have two or more."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for group, row in rows:
        if row.measured:
            groups[group].append(row)
    return {group: found for group, found in groups.items() if len(found) > 1}


def _latency(view: View) -> Chart:
    """Latency by percentile; those with fewer than two samples beyond them are left out."""
    fields = {"row": "row", "client": "client", "percentile": "percentile", "rank": "1 in", "ms": "milliseconds"}
    label = "datum.value === 1 ? '0' : format(100 - 100 / datum.value, '~r') + ' %'"
    ticks = {"values": [1, 2, *(10**power for power in range(1, 6))], "labelExpr": label, "labelOverlap": True}
    x = {**_log("rank", "percentile"), "scale": {"type": "log", "nice": False}}
    x["axis"] = {"title": "percentile", **ticks}
    layers = _curves(x, _log("ms", "milliseconds", "~r"), view, _tips(fields, "client", "percentile", "ms"))
    return Chart(
        ChartKey.LATENCY,
        "Latency by percentile",
        "Of what one sample covers (a command, burst, batch, transaction or connection), all rounds together. A client "
        "that waits for its reply sends nothing meanwhile: these are service times. They are reported, never claimed.",
        {"data": {"name": DATA}, "height": 320, "layer": layers},
        fields,
        [[row.number, place.column.name, *point] for row, place in _measured(view) for point in _tail(view, place)],
        columns=0,
    )


def _tail(view: View, place: Place) -> Iterator[Values]:
    histogram = view.series.latency(place.cell)
    known = [one for one in PERCENTILES if histogram.samples * (100 - one) >= 200]  # noqa: PLR2004 - two samples
    for percentile, value_ns in zip(known, percentiles_ns(histogram, known), strict=False):
        yield [percentile, *rounded(100 / (100 - percentile), value_ns / 1e6)]


def _laps(view: View) -> Chart:
    """Throughput by lap, a facet per round."""
    fields = {"row": "row", "round": "round", "client": "client", "lap": "lap", "s": "seconds", "rps": RPS}
    axis = {"title": "seconds since the round's first slice", "grid": False, "tickCount": 5}
    x = {"field": "s", "type": "quantitative", "scale": {"nice": False}, "axis": axis}
    layers = _curves(x, _log("rps", RPS), view, _tips(fields, "client", "lap", "s", "rps"), 24)
    facet = {"field": "round", "type": "ordinal", "header": {"labelExpr": "'round ' + datum.value"}}
    return Chart(
        ChartKey.LAPS,
        "Laps over time",
        "Each point is one slice. Clients that move together were disturbed together: ratios take that out. A slope is "
        f"drift, and scatter is noise. Of more than {DRAWN} rounds, {DRAWN} are drawn, spread evenly over the run.",
        _facets(facet, layers, 240, 3, "x"),
        fields,
        [point for row in view.rows for point in _points(view, row)],
        columns=3,
    )


def _points(view: View, row: Row) -> Iterator[Values]:
    laps = [(place.column.name, lap) for place in row.places for lap in view.series.laps(place.cell.cell_id)]
    drawn = drawn_rounds(lap.round for _, lap in laps)
    begun: dict[int, int] = {}
    for _, lap in laps:
        begun[lap.round] = min(begun.get(lap.round, lap.begun_ns), lap.begun_ns)
    for client, lap in laps:
        if lap.round in drawn:
            seconds = round((lap.begun_ns - begun[lap.round]) / 1e9, 3)
            yield [row.number, lap.round, client, lap.lap, seconds, *rounded(lap.rps)]


def drawn_rounds(rounds: Iterable[int]) -> set[int]:
    """Return the rounds that are drawn: all if they are few, else the first, the last and some between."""
    every = sorted(set(rounds))
    return {every[place] for place in np.linspace(0, len(every) - 1, min(DRAWN, len(every))).round().astype(int)}


def _heat(view: View) -> Chart:
    """Throughput by threads and connections, if threads or pools were measured in two shapes or more."""
    fields = {
        **{"group": "scenario", "client": "client", "threads": "threads"},
        **{"connections": "connections at most, or clients", "rps": RPS},
    }
    legend = {"title": RPS, "format": "~s", "orient": "bottom", "tickCount": 4}
    scale = {"type": "log", "scheme": "viridis"}
    color = {"field": "rps", "type": "quantitative", "scale": scale, "legend": legend}
    place: Spec = {
        "x": {"field": "threads", "type": "ordinal", "axis": {"title": "threads", "labelAngle": 0}},
        "y": {"field": "connections", "type": "ordinal", "sort": "descending", "title": fields["connections"]},
    }
    figure = {**place, "text": {"field": "rps", "type": "quantitative", "format": ".3~s"}}
    outline = {"type": "text", "stroke": "black", "strokeWidth": 2.5, "strokeOpacity": 0.55, "color": "white"}
    layers = [
        {"mark": {"type": "rect"}, "encoding": {**place, "color": color, "tooltip": _tips(fields, *list(fields)[1:])}},
        {"mark": outline, "encoding": figure},
        {"mark": {"type": "text", "color": "white"}, "encoding": figure},
    ]
    of_threads = (row for row in view.rows if row.scenario in {Scenario.THREADS, Scenario.POOL})
    groups = _groups((row.scenario_label, row) for row in of_threads)
    return Chart(
        ChartKey.HEAT,
        "Threads and connections",
        "Brighter is more commands per second. The scale is logarithmic and the same for all clients.",
        _facets({"field": "client"}, layers, 220, 3),
        fields,
        [
            [group, one.column.name, row.shape.threads, connections, *rounded(one.measured.rps_median)]
            for group, rows in groups.items()
            for row in rows
            for connections in [row.shape.max_total if row.scenario is Scenario.POOL else row.shape.connections]
            for one in row.measured
        ],
        pick="group",
        columns=3,
    )


def _post(view: View, spec: PostSpec) -> Chart:
    """The post's curves for which this run has a point, with the suite's own workload, beside the run's."""
    fields = {
        **{"group": "scenario", "table": "table", "source": "source", "client": "client"},
        **{"at": "depth or threads", "rps": RPS},
    }
    x, y = _log("at", fields["at"], "~r"), _log("rps", RPS)
    tips = _tips(fields, "source", "client", "at", "rps")
    mark = {"type": "line", "color": "gray", "strokeDash": [5, 4], "point": {"color": "gray", "shape": "cross"}}
    published = {"mark": mark, "encoding": {"x": x, "y": y, "detail": {"field": "client"}, "tooltip": tips}}
    layers = [
        {**published, "transform": [{"filter": f"datum.source === '{PUBLISHED}'"}]},
        *({**one, "transform": [{"filter": f"datum.source === '{OWN}'"}]} for one in _curves(x, y, view, tips, 70)),
    ]
    rows = [row for row in view.rows if row.workload not in view.report.manifest.other_workloads]
    found = {
        (place.column.name, row.scenario, row.shape.model_dump_json()): (row, place)
        for row in rows
        for place in row.measured
    }
    return Chart(
        ChartKey.POST,
        "Beside what was published",
        f"Dashed and grey: {spec.title} ({spec.source}). Its machines, network, server and versions were others: "
        "compare how figures change along a curve, not the curves' heights.",
        _facets({"field": "table", "header": {"labelLimit": 420}}, layers, 220, 2, "xy"),
        fields,
        [point for table in spec.tables if len(table.axes) == 1 for point in _published(table, found)],
        pick="group",
        columns=2,
    )


def _published(table: PostTable, found: Mapping[tuple[str, str, str], tuple[Row, Place]]) -> Iterator[Values]:
    for number, column in enumerate(table.columns):
        shapes = [(row.at[0], column.shape_at(table.axes, row.at).model_dump_json()) for row in table.rows]
        own = [
            (place[0].scenario_label, [OWN, client, at, *rounded(place[1].measured.rps_median)])
            for client in column.clients
            for at, shape in shapes
            if (place := found.get((client, column.scenario, shape)))
        ]
        if own and "rps" in column.figures:
            rps = column.figures.index("rps")
            title = table.title if len(table.columns) == 1 else f"{table.title}: {column.title}"
            curve: list[Values] = [[PUBLISHED, "", row.at[0], row.published[number][rps]] for row in table.rows]
            yield from ([own[0][0], title, *point] for point in [*curve, *(point for _, point in own)])
