"""What all charts have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from respmark.report.html.theme import PICTURE_FONT, config
from respmark.report.html.view import View

Spec = dict[str, Any]
Value = str | float | int | bool | None
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
DATA: Final = "rows"
"""Name under which a spec finds its data."""
HIGHEST: Final = 5
"""Significant digits of a value in the page's data."""


@dataclass(frozen=True)
class Chart:
    """One chart."""

    key: str
    title: str
    caption: str
    """What is to be seen, and what not."""
    spec: Spec
    """Without data, widths and colours."""
    fields: Mapping[str, str]
    """Heading of each column in the table behind the chart, by field."""
    rows: Sequence[Sequence[Value]]
    """Values in the order of `fields`; `row` is the number of the matrix's row that a value belongs to."""
    pick: str | None = "row"
    """Field by which the reader picks what is shown; None: all of it is."""
    columns: int = 1
    """Facets side by side where there is room; 0: the chart has none."""


def client_scales(view: View, *, legend: bool = False) -> dict[str, Spec]:
    """Return colour and symbol of clients; their legend is the page's list of clients."""
    names = [column.name for column in view.columns]
    shown: Spec = {"legend": {"title": None, "orient": "bottom", "columns": 3}} if legend else {"legend": None}
    field: Spec = {"field": "client", "type": "nominal"}
    return {
        "color": {**field, "scale": {"domain": names, "range": "category"}, **shown},
        "shape": {**field, "scale": {"domain": names, "range": "symbol"}, **shown},
        "dash": {**field, "scale": {"domain": names, "range": [list(c.look.dash) for c in view.columns]}, **shown},
    }


def rounded(value: float | None) -> float | None:
    """Return a value with the digits that a chart can show."""
    return None if value is None else float(f"{value:.{HIGHEST}g}")


def log_axis(field: str, title: str, **axis: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """Return a quantitative channel on a logarithmic scale."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"title": title, "format": "~s", "tickCount": 5, "gridOpacity": 0.7, **axis},
    }


def tooltip(**fields: str) -> list[Spec]:
    """Return a tooltip: headings by field; numbers with four digits."""
    return [
        {"field": field, "title": title, "type": "nominal"}
        if field in {"client", "known", "source"}
        else {"field": field, "title": title, "type": "quantitative", "format": ",.4~r"}
        for field, title in fields.items()
    ]


def drawn(view: View, chart: Chart, rows: Sequence[Sequence[Value]], width: int, title: Spec | None = None) -> Spec:
    """Return a spec with everything in it, for a picture; `width` is in pixels, of all facets together."""
    values = [dict(zip(chart.fields, row, strict=True)) for row in rows]
    spec = {
        "$schema": SCHEMA,
        **chart.spec,
        "config": config([column.look for column in view.columns], font=PICTURE_FONT),
        **({} if title is None else {"title": title}),
        "datasets": {DATA: values},
    }
    if chart.columns:
        return {**spec, "columns": chart.columns, "spec": {**spec["spec"], "width": width // chart.columns}}
    return {**spec, "width": width}
