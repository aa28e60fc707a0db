"""Throughput by lap: drift and noise."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from respmark.report.html.charts.chart import DATA, Chart, ChartKey, Value, client_scales, log_axis, rounded, tooltip
from respmark.report.html.view import Row, View
from respmark.results.records import Status, TrialRecord
from respmark.statistics.counted import counted_slices

FIELDS = {
    "row": "row",
    "round": "round",
    "client": "client",
    "lap": "lap",
    "s": "seconds",
    "rps": "commands per second",
}

DRAWN: Final = 9
"""How many rounds are drawn at most: a page of a hundred facets is slow, and nobody reads them."""


def laps(view: View) -> Chart:
    """Return the chart, with one facet per round."""
    scales = client_scales(view)
    x = {
        "field": "s",
        "type": "quantitative",
        "scale": {"nice": False},
        "axis": {"title": "seconds since the round's first slice", "grid": False, "tickCount": 5},
    }
    y = log_axis("rps", "commands per second")
    tips = tooltip(client="client", lap="lap", s="seconds", rps="commands per second")
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 1.5, "opacity": 0.8},
            "encoding": {"x": x, "y": y, "color": scales["color"], "strokeDash": scales["dash"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 24, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": scales["color"], "shape": scales["shape"], "tooltip": tips},
        },
    ]
    return Chart(
        ChartKey.LAPS,
        "Laps over time",
        "Each point is one slice. Clients that move together were disturbed together: ratios take that out. A slope is "
        f"drift, and scatter is noise. Of more than {DRAWN} rounds, {DRAWN} are drawn, spread evenly over the run.",
        {
            "data": {"name": DATA},
            "facet": {
                "field": "round",
                "type": "ordinal",
                "title": None,
                "header": {"labelExpr": "'round ' + datum.value"},
            },
            "columns": 3,
            "spec": {"height": 240, "layer": layers},
            "resolve": {"scale": {"x": "independent"}},
        },
        FIELDS,
        [point for row in view.rows for point in _points(row)],
        columns=3,
    )


def _points(row: Row) -> list[list[Value]]:
    found: list[list[Value]] = []
    begun: dict[int, int] = {}
    drawn = drawn_rounds(record.round for place in row.places for record in place.records)
    slices = [
        (record.round, place.column.name, *one)
        for place in row.places
        for record in place.records
        if isinstance(record, TrialRecord) and record.status is Status.OK and record.round in drawn
        if (counted := counted_slices(record)) is not None
        for one in zip(counted.laps.tolist(), counted.begun_ns.tolist(), counted.figures.rates.tolist(), strict=True)
    ]
    for number, _, _, at_ns, _ in slices:
        begun[number] = min(begun.get(number, at_ns), at_ns)
    for number, client, lap, at_ns, rate in slices:
        found.append([row.number, number, client, lap, round((at_ns - begun[number]) / 1e9, 3), rounded(rate)])
    return found


def drawn_rounds(rounds: Iterable[int]) -> set[int]:
    """Return the rounds that are drawn: all if they are few, else the first, the last and some between."""
    every = sorted(set(rounds))
    return {every[place] for place in np.linspace(0, len(every) - 1, min(DRAWN, len(every))).round().astype(int)}
