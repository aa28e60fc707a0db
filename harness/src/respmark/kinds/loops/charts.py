"""The charts of loops on the page, with their data."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np
import polars as pl

from respmark.contract.rate import goal_of
from respmark.figures.metric import known_median
from respmark.histogram import Histogram, percentiles_ns
from respmark.kinds.loops.depths import curves
from respmark.kinds.loops.highest import highest_rates
from respmark.kinds.loops.rounds import COUNTS, counted
from respmark.kinds.loops.scaling import host_curves
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.charts import Values, measured_in, rounded
from respmark.report.html.view import ChartRow, MatrixCell, View
from respmark.report.report import Report

PERCENTILES: Final = (
    *(0, 10, 25, 50, 60, 70, 80, 90, 93, 95, 97, 98, 99),
    *(99.5, 99.7, 99.9, 99.95, 99.99, 99.995, 99.999),
)
LEAST_BEYOND: Final = 2
"""Samples beyond a percentile that is drawn."""
DRAWN: Final = 9
"""How many rounds are drawn at most: a page of a hundred facets is slow, and nobody reads them."""
RPS, CPU = "commands per second", "client CPU, µs per command"
TIMES: Final = {"p50_ns": "response p50, ms", "p99_ns": "response p99, ms", "service_p99_ns": "service p99, ms"}
ONE_RATE: Final = 1.1
"""Slices whose rates differ by less are one point of a curve."""


def _frontier(view: View) -> Iterator[Values]:
    for row, place in measured_in(view):
        spans, server = dict(_spans(view, place)), rounded(place.measured.server_cpu_us_per_command)
        if CPU in spans:
            yield [row.number, place.column.name, *spans[RPS], *spans[CPU], *server]


def _spans(view: View, place: MatrixCell) -> Iterator[tuple[str, Values]]:
    """Yield figures with their lowest and highest round; with a rate, CPU is not known."""
    measured = place.measured
    yield RPS, rounded(measured.rps_median, measured.rps_min, measured.rps_max)
    costs = [figures["client_cpu_us_per_command"] for _, figures in view.rounds[place.cell.cell_id] if figures]
    if known := [cost for cost in costs if cost is not None]:
        yield CPU, rounded(measured.client_cpu_us_per_command, min(known), max(known))


def _depth(view: View) -> Iterator[Values]:
    for group, row in _groups((row.groups["depth"], row) for row in view.rows if row.cell.shape.depth is not None):
        for place in row.measured:
            for metric, values in _spans(view, place):
                yield [group, metric, place.column.name, row.cell.shape.depth, *values]


def _round_trips(view: View) -> Iterator[Values]:
    for (use, client, rtt_ms), curve in curves(view.report.run).items():
        for depth, measured in sorted(curve.by_depth.items()):
            rps = rounded(measured.rps_median, measured.rps_min, measured.rps_max)
            mark = "stops paying" if depth == curve.stop else ""
            yield [use, client, f"{rtt_ms:g} ms", depth, *rps, mark]


def _hosts(view: View) -> Iterator[Values]:
    for (use, client, processes), curve in host_curves(view.report.run).items():
        for point in curve.points:
            yield [use, client, point.hosts, processes, *rounded(*point.rps, curve.ideal_rps(point))]


def _rates(view: View) -> Iterator[Values]:
    """Yield times by rate where there are several, and the highest rates that kept to a goal."""
    # A row of which no cell has figures cannot be chosen.
    of = {place.cell.cell_id: (row, place.column.name) for row in view.rows if row.measured for place in row.places}
    slices = view.report.run.slices.filter(COUNTS, pl.col("cell_id").is_in(list(of)), pl.col("rate_due") > 0)
    points = [(*of[cell_id], *values) for column in TIMES for cell_id, *values in _points(slices, column).rows()]
    rates = {(row.groups["rate"], step) for row, _, _, step, *_ in points}
    several = {group for group, number in Counter(group for group, _ in rates).items() if number > 1}
    for row, client, name, _, *values, slices_of, saturated in points:
        if row.groups["rate"] in several:
            goal = goal_of(row.cell.shape.rate or "")
            limit_ms = goal.limit_ns / 1e6 if goal and name == f"response p{goal.percentile:g}, ms" else None
            yield [row.groups["rate"], name, client, *rounded(*values), slices_of, saturated, limit_ms]
    for one in highest_rates(view.report.run, view.report.cells):
        row, client = of[one.trial.cell_id]
        if highest := known_median([rate for rate in one.held if rate]):
            yield [row.groups["rate"], TIMES["p99_ns"], client, *rounded(highest), *[None] * 6]


def _points(slices: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the median of a time with its middle half, by cell and rate."""
    step = pl.col("rate_due").log(ONE_RATE).round().cast(pl.Int64).alias("step")
    by_rate = slices.drop_nulls(column).group_by("cell_id", pl.lit(TIMES[column]), step, maintain_order=True)
    time_ms = pl.col(column) / 1e6
    figures = {"ms": time_ms.median(), "low": time_ms.quantile(0.25), "high": time_ms.quantile(0.75)}
    counts = {"slices": pl.len(), "saturated": pl.col("is_saturated").sum()}
    return by_rate.agg(pl.col("rate_due").median(), **figures, **counts).sort("step", maintain_order=True)


def _groups(rows: Iterable[tuple[str, ChartRow]]) -> Iterator[tuple[str, ChartRow]]:
    """Yield the measured rows of groups that have several."""
    groups: defaultdict[str, list[ChartRow]] = defaultdict(list)
    for group, row in rows:
        if row.measured:
            groups[group].append(row)
    return ((group, row) for group, found in groups.items() for row in found if len(found) > 1)


def _latency(view: View) -> Iterator[Values]:
    """Yield percentiles; those with fewer than two samples beyond them are left out."""
    for row, place in measured_in(view):
        histogram = Histogram.of(view.report.run.latency.get(place.cell.cell_id, ()))
        known = [one for one in PERCENTILES if histogram.samples * (100 - one) >= LEAST_BEYOND * 100]
        for percentile, value_ns in zip(known, percentiles_ns(histogram, known), strict=False):
            yield [row.number, place.column.name, percentile, *rounded(100 / (100 - percentile), value_ns / 1e6)]


def _laps(view: View) -> Iterator[Values]:
    slices = counted(view.report.run).select("cell_id", "round", "lap", "begun_ns", "operations", "elapsed_ns")
    by_cell = slices.collect().partition_by("cell_id", as_dict=True)
    for row in view.rows:
        names = {place.cell.cell_id: place.column.name for place in row.places if (place.cell.cell_id,) in by_cell}
        if names:
            laps = pl.concat([by_cell[cell_id,] for cell_id in names])
            since = pl.col("begun_ns") - pl.col("begun_ns").min().over("round")
            drawn = laps.with_columns(since).filter(pl.col("round").is_in(drawn_rounds(laps["round"])))
            for cell_id, number, lap, since_ns, operations, elapsed_ns in drawn.iter_rows():
                seconds = round(since_ns / 1e9, 3)
                yield [row.number, number, names[cell_id], lap, seconds, *rounded(operations / elapsed_ns * 1e9)]


def drawn_rounds(rounds: Iterable[int]) -> set[int]:
    """Return the rounds that are drawn: all if they are few, else the first, the last and some between."""
    every = sorted(set(rounds))
    return {every[place] for place in np.linspace(0, len(every) - 1, min(DRAWN, len(every))).round().astype(int)}


CHARTS: Final[dict[ChartKey, Callable[[View], Iterable[Values]]]] = {
    ChartKey.FRONTIER: _frontier,
    ChartKey.DEPTH: _depth,
    ChartKey.ROUND_TRIPS: _round_trips,
    ChartKey.HOSTS: _hosts,
    ChartKey.LATENCY: _latency,
    ChartKey.RATES: _rates,
    ChartKey.LAPS: _laps,
}
"""In the order of the page."""


def groups(report: Report) -> dict[str, tuple[str, ...]]:
    """Return by which fields of the shape rows differ that a chart shows together, by the chart's `pick`."""
    apart: dict[str, tuple[str, ...]] = {"depth": ("depth",), "rtt": ("depth", "rtt_ms"), "rate": ("rate",)}
    return {**apart, "hosts": ("processes",)} if host_curves(report.run) else apart
