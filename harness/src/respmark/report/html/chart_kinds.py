"""What each chart of the page shows: its title, caption, form and columns."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from respmark.report.html import vega
from respmark.report.html.vega import Marks, Spec


class ChartKey(StrEnum):
    """Name of a chart in the command, in the page's address and in its anchors."""

    FOREST = "forest"
    FRONTIER = "frontier"
    DEPTH = "depth"
    ROUND_TRIPS = "round-trips"
    HOSTS = "hosts"
    LATENCY = "latency"
    RATES = "rates"
    RELEASES = "releases"
    LAPS = "laps"


Pick = Literal["row", "scenario", "depth", "rtt", "hosts", "rate"]
"""What a chart shows together: a row, or those of its group by this name, in which case the rows have a `group`."""


@dataclass(frozen=True)
class ChartForm:
    """What all charts of a key have in common."""

    title: str
    caption: str
    """What the chart shows, and what it does not."""
    spec: Callable[[Marks], Spec]
    fields: dict[str, str]
    """Heading of each column in the table behind the chart, by field."""
    columns: int = 0
    """Facets side by side if there is room; 0 if the chart has none."""
    pick: Pick = "row"


KINDS: Final = {
    ChartKey.FOREST: ChartForm(
        title="Ratios with their intervals",
        caption=(
            "Ratios are of the same laps; lines are 95 % intervals over rounds. A filled point: a difference "
            "is shown, corrected for all pairs of clients in the row. A hollow point: no difference is "
            "shown."
        ),
        spec=vega.forest,
        fields={
            "row": "row",
            "metric": "figure",
            "client": "client",
            "value": "ratio to the baseline",
            "low": "95 % interval from",
            "high": "to",
            "known": "difference",
        },
        columns=3,
    ),
    ChartKey.FRONTIER: ChartForm(
        title="Throughput against CPU",
        caption=(
            "Up and to the left is better. The dashed line joins the clients that no other beats in both. "
            "Crosses span the lowest and the highest round; they are not intervals of ratios."
        ),
        spec=vega.frontier,
        fields={
            "row": "row",
            "client": "client",
            "rps": "commands per second",
            "rps_low": "lowest round",
            "rps_high": "highest round",
            "cpu": "client CPU, µs per command",
            "cpu_low": "lowest round, µs",
            "cpu_high": "highest round, µs",
            "server": "server CPU, µs per command",
        },
    ),
    ChartKey.DEPTH: ChartForm(
        title="Throughput and CPU against depth",
        caption=(
            "Both axes are logarithmic. Bands span the lowest and highest round; the intervals of ratios are "
            "narrower, because they are of the same laps."
        ),
        spec=vega.depth,
        fields={
            "group": "scenario",
            "metric": "figure",
            "client": "client",
            "depth": "depth",
            "value": "value",
            "low": "lowest round",
            "high": "highest round",
        },
        columns=2,
        pick="depth",
    ),
    ChartKey.ROUND_TRIPS: ChartForm(
        title="Throughput against depth, by round trip",
        caption=(
            "Each line is a round trip between client and server; 0 ms: none is added. A ring marks the "
            "depth from which twice the depth (or the next one measured) adds less than 10 %; a line without "
            "a ring still rises at the deepest. Bands span the lowest and the highest round."
        ),
        spec=vega.round_trips,
        fields={
            "group": "scenario",
            "client": "client",
            "rtt": "round trip",
            "depth": "depth",
            "rps": "commands per second",
            "low": "lowest round",
            "high": "highest round",
            "mark": "deeper",
        },
        columns=3,
        pick="rtt",
    ),
    ChartKey.HOSTS: ChartForm(
        title="Throughput by number of client hosts",
        caption=(
            "Dashed: the ideal, in which every host brings as much as the fewest hosts do. Points are means over "
            "rounds, bars their 95 % intervals. All hosts have the same number of processes."
        ),
        spec=vega.hosts,
        fields={
            "group": "scenario",
            "client": "client",
            "hosts": "hosts",
            "each": "processes on each",
            "rps": "commands per second",
            "low": "95 % interval from",
            "high": "to",
            "ideal": "ideal",
        },
        columns=3,
        pick="hosts",
    ),
    ChartKey.LATENCY: ChartForm(
        title="Latency by percentile",
        caption=(
            "Latency of what one sample covers (a command, burst, batch, transaction or connection), all "
            "rounds together. A client that waits for a reply sends nothing meanwhile: these are service "
            "times. They are reported, and no differences are claimed."
        ),
        spec=vega.latency,
        fields={"row": "row", "client": "client", "percentile": "percentile", "rank": "1 in", "ms": "milliseconds"},
    ),
    ChartKey.RATES: ChartForm(
        title="Latency by rate",
        caption=(
            "A point is the median of the slices at a rate (up to 10 % apart), a band their middle half. "
            "Response time is from due to done; service time is from begun to done, which is all that a "
            "closed loop sees. Hollow: some slices are saturated. Dashed: the goal, and each client's "
            "highest rate that kept to it. The p99 of a slice with fewer than 100 units is its longest time."
        ),
        spec=vega.rates,
        fields={
            "group": "scenario",
            "metric": "figure",
            "client": "client",
            "rate": "commands due per second",
            "ms": "milliseconds",
            "low": "middle half from",
            "high": "to",
            "slices": "slices",
            "saturated": "saturated",
            "goal": "goal, ms",
        },
        columns=3,
        pick="rate",
    ),
    ChartKey.RELEASES: ChartForm(
        title="Releases",
        caption=(
            "Each release divided by the one that took turns with all of them (1); lines are 95 % intervals. "
            "A filled point with a number is a step: the release divided by the one before it, where a difference is "
            "shown, corrected for all steps of a figure."
        ),
        spec=vega.releases,
        fields={
            "row": "row",
            "metric": "figure",
            "client": "client",
            "release": "release",
            "value": "ratio",
            "low": "95 % interval from",
            "high": "to",
            "step": "step",
        },
        columns=1,
    ),
    ChartKey.LAPS: ChartForm(
        title="Laps over time",
        caption=(
            "Each point is one slice. Clients that move together were disturbed together; ratios are not "
            "affected by that. A slope is drift, scatter is noise. Of more than 9 rounds, 9 are drawn, "
            "spread evenly over the run."
        ),
        spec=vega.laps,
        fields={
            "row": "row",
            "round": "round",
            "client": "client",
            "lap": "lap",
            "s": "seconds",
            "rps": "commands per second",
        },
        columns=3,
    ),
}
