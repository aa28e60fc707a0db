"""What all charts have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from respmark.report.html.view import View

Spec = dict[str, Any]
Value = str | float | int | bool | None
DATA: Final = "rows"
"""Name under which a spec finds its data."""
HIGHEST: Final = 5
"""Significant digits of a value in the page's data."""


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
    rows: Sequence[Sequence[Value]]
    """Values in the order of `fields`; `row` is the number of the matrix's row that a value belongs to."""
    pick: Literal["row", "group"] = "row"
    """Field by which the reader picks what is shown."""
    columns: int = 1
    """Facets side by side if there is room; 0 if the chart has none."""


def client_scales(view: View) -> dict[str, Spec]:
    """Return the colours, symbols and dashes of clients; their legend is the page's list of clients."""
    names = [column.name for column in view.columns]
    field: Spec = {"field": "client", "type": "nominal", "legend": None}
    return {
        "color": {**field, "scale": {"domain": names, "range": "category"}},
        "shape": {**field, "scale": {"domain": names, "range": "symbol"}},
        "dash": {**field, "scale": {"domain": names, "range": [list(c.look.dash) for c in view.columns]}},
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
    """Return a tooltip with these headings by field, and numbers with four digits."""
    return [
        {"field": field, "title": title, "type": "nominal"}
        if field in {"client", "known", "source"}
        else {"field": field, "title": title, "type": "quantitative", "format": ",.4~r"}
        for field, title in fields.items()
    ]
