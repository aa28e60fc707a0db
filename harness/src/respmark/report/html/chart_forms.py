"""What each chart of the page shows: its title, caption, columns and Vega-Lite spec, which `page/charts` has."""

from enum import StrEnum
from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from respmark.contract.base import Message
from respmark.report.html.templates import read
from respmark.report.html.vega import Spec


class ChartKey(StrEnum):
    """Name of a chart in the command, in the page's address and in its anchors; in the order of the page."""

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


class ChartForm(Message):
    """What all charts of a key have in common: a file of `page/charts`."""

    title: str
    caption: str
    """What the chart shows, and what it does not."""
    pick: Pick
    columns: Annotated[int, Field(ge=0)]
    """Facets side by side if there is room; 0 if the chart has none."""
    fields: dict[str, str]
    """Heading of each column in the table behind the chart, by field."""
    spec: Spec
    """Without data and widths; `$color` and the like stand for what shows the clients (`vega.Marks`)."""


@cache
def form_of(key: ChartKey) -> ChartForm:
    """Return the form of a chart."""
    return ChartForm.model_validate_json(read(f"charts/{key}.json"))
