"""The charts of the page, with their data: those of every kind of trial; `chart_forms` says what each chart shows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark.figures.estimate import Ratio
from respmark.report.html.chart_forms import ChartForm, ChartKey, form_of
from respmark.report.html.vega import Spec
from respmark.report.html.view import ChartRow, MatrixCell, View

Value = str | float | int | bool | None
Values = list[Value]
CONTROL: Final = Ratio(value=1.0, low=1.0, high=1.0)
"""Of a release to itself."""


@dataclass(frozen=True)
class Chart:
    """One chart."""

    key: str
    form: ChartForm
    spec: Spec
    """Without data, widths and colours."""
    rows: list[Values]
    """Values in the order of the form's fields; `row` is the number of the matrix's row that a value belongs to."""


def rounded(*values: float | None) -> Values:
    """Return values with the digits that a chart can show."""
    return [None if value is None else float(f"{value:.5g}") for value in values]


def _forest(view: View) -> Iterator[Values]:
    """Yield ratios to the baseline; for another baseline, the page makes them anew."""
    for row in view.rows:
        to = row.by_column.get(view.baseline.number)
        for metric, name in view.report.kind.of_clients.items() if to else ():
            ratios = [(place, view.ratio(metric, place, to)) for place in row.measured if to and place is not to]
            found = {place.number: ratio for place, ratio in ratios if ratio is not None}
            for place in row.measured if found else ():
                if place is to:
                    yield [row.number, name, place.column.name, 1, 1, 1, "baseline"]
                elif ratio := found.get(place.number):
                    known = "shown" if ratio.shown else "not shown"
                    yield [row.number, name, place.column.name, *rounded(ratio.value, ratio.low, ratio.high), known]


def measured_in(view: View) -> Iterator[tuple[ChartRow, MatrixCell]]:
    """Yield the cells that have figures, with their rows."""
    return ((row, place) for row in view.rows for place in row.measured)


def _releases(view: View) -> Iterator[Values]:
    """Yield the releases of each timeline, from the oldest to the newest, as ratios to the control."""
    places = {place.cell.cell_id: (row.number, place.column.name) for row, place in measured_in(view)}
    compared = view.report.kind.compared
    for timeline in view.report.timelines:
        for metric in view.report.kind.in_series if timeline.control else ():
            for one in timeline.points:
                ratio = CONTROL if one.cell.client == timeline.control else one.to(metric)
                if one.cell.cell_id in places and ratio.is_known:
                    row, client = places[one.cell.cell_id]
                    values = rounded(ratio.value, ratio.low, ratio.high)
                    step = one.steps[metric].value if metric in one.steps else None
                    yield [row, compared[metric].name, client, one.label, *values, *rounded(step)]


ROWS: Final[dict[ChartKey, Callable[[View], Iterable[Values]]]] = {
    ChartKey.FOREST: _forest,
    ChartKey.RELEASES: _releases,
}


def rows_of(view: View) -> dict[ChartKey, Callable[[View], Iterable[Values]]]:
    """Return what makes the rows of each chart of a kind of trial."""
    return {**ROWS, **view.report.kind.charts}


def chart_of(view: View, key: ChartKey) -> Chart:
    """Return a chart; without rows, if the run has nothing for it."""
    form, made = form_of(key), rows_of(view).get(key)
    return Chart(key, form, view.marks.in_spec(form.spec), [] if made is None else list(made(view)))


def charts(view: View) -> list[Chart]:
    """Return the charts that have something to show, in the order of the page."""
    return [one for key in ChartKey if (one := chart_of(view, key)).rows]
