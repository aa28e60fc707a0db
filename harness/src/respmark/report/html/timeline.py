"""The page of a history: for each series a line of ratios over its runs, and a table; no script, no network."""

from collections.abc import Callable, Sequence
from math import log
from typing import Final

from markupsafe import Markup

from respmark import numbers
from respmark.figures.series import History, Point, Series, machine_of
from respmark.report.history import ABSOLUTE, STEPS, header, machine_letters, series_label, step_text, table
from respmark.report.html.templates import filled

WIDTH: Final = 900
HEIGHT: Final = 180
LEFT: Final = 56
"""Room for the axis."""
EDGE: Final = 14
ROOM: Final = 1.04
"""The axis reaches this much further than the intervals, as a factor."""
TICKS: Final = (
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1.0,
    1.1,
    1.2,
    1.5,
    2.0,
    3.0,
    4.0,
    5.0,
    7.0,
    10.0,
    20.0,
    50.0,
)
MOST_TICKS: Final = 6
Axis = Callable[[float], float]
"""Returns where a ratio lies, in pixels from above."""


def history_page(history: History) -> str:
    """Return the page."""
    machines = machine_letters(history)
    return filled(
        "history.html.j2",
        history=history,
        header=list(header(history, machines)),
        series=[(series_label(one), timeline(one, history), table(one, history, machines)) for one in history.series],
        notes=(STEPS, ABSOLUTE),
    )


def timeline(one: Series, history: History) -> Markup:
    """Return a series as SVG: a point per run with its interval, on a logarithmic axis; a step is a line across."""
    ends = [end for point in one.points for end in _ends(point, history)]
    low, high = min(ends) / ROOM, max(ends) * ROOM

    def y(ratio: float) -> float:
        return round(EDGE + (HEIGHT - 2 * EDGE) * (1 - log(ratio / low) / log(high / low)), 1)

    step = (WIDTH - LEFT - 2 * EDGE) / max(1, len(one.points) - 1)
    xs = [round(LEFT + EDGE + number * step, 1) for number in range(len(one.points))]
    parts = [_tick(tick, y(tick)) for tick in _ticks(low, high)]
    parts += [_point(point, x, y, history) for point, x in zip(one.points, xs, strict=True)]
    for first, second in zip(range(len(xs)), range(1, len(xs)), strict=False):
        before, after = one.points[first], one.points[second]
        if machine_of(before.cell.run) == machine_of(after.cell.run):
            place = (xs[first], y(before.to(history.metric).value), xs[second], y(after.to(history.metric).value))
            parts.append(Markup('<line class="curve" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(*place))
    label = f"{series_label(one)}: ratio to {history.control} over {len(one.points)} runs; the table has the figures"
    return Markup('<svg role="img" viewBox="0 0 {} {}" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, label, Markup().join(parts)
    )


def _ends(point: Point, history: History) -> tuple[float, float]:
    ratio = point.to(history.metric)
    return ratio.low or ratio.value, ratio.high or ratio.value


def _ticks(low: float, high: float) -> Sequence[float]:
    found = [tick for tick in TICKS if low <= tick <= high]
    return found[:: max(1, -(-len(found) // MOST_TICKS))] or [round((low * high) ** 0.5, 2)]


def _tick(ratio: float, y: float) -> Markup:
    return Markup(
        '<line class="grid" x1="{0}" y1="{1}" x2="{2}" y2="{1}"/><text x="{3}" y="{4}" text-anchor="end">{5}</text>'
    ).format(LEFT, y, WIDTH, LEFT - 8, y + 4, numbers.ratio(ratio))


def _point(point: Point, x: float, y: Axis, history: History) -> Markup:
    low, high = map(y, _ends(point, history))
    ratio, begun = point.to(history.metric).value, point.cell.run.manifest.started_at
    said = f"{begun:%Y-%m-%d} {point.cell.library_version or ''}: {numbers.ratio(ratio)}"
    across = Markup('<line class="step" x1="{0}" y1="0" x2="{0}" y2="{1}"/>').format(x, HEIGHT) if point.steps else ""
    told = f"{said}; {step_text(point, history)}" if point.steps else said
    return Markup(
        '{0}<line class="interval" x1="{1}" y1="{2}" x2="{1}" y2="{3}"/>'
        '<circle cx="{1}" cy="{4}" r="4"><title>{5}</title></circle>'
    ).format(across, x, low, high, y(ratio), told)
