"""The timeline of a fault as a picture: for each client, the replies and errors that callers had in each second."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from respmark.errors import InvalidRequestError
from respmark.kinds.faults.metrics import FaultCell, cells_of
from respmark.kinds.faults.record import FaultRecord, Figures
from respmark.report.html import vega
from respmark.report.html.picture import with_data
from respmark.report.html.templates import harmless
from respmark.report.html.vega import Spec
from respmark.results.read import ReadRun
from respmark.specs.faults import shape_of

STATES: Final = {"replies": "#3f8f5f", "errors": "#d1603d", "replies for keys of other primaries": "#b5d3c1"}
"""What callers had, with its colour; in the order of the bars, from below."""
SHADE: Final = "#7d8590"
COLUMNS: Final = 2
CAPTION: Final = "Replies and errors that callers had in each second of the last round; shaded: the fault."


def timeline(run: ReadRun, use: str | None = None) -> Spec:
    """Return the timelines of all clients under one fault, named by `use`, or else the run's first.

    Raises InvalidRequestError if the run has nothing of it.
    """
    cells = [cell for cell in cells_of(run) if cell.rounds]
    chosen = [cell for cell in cells if use in {None, str(cell.described.shape.fault), cell.described.shape.label}]
    if not chosen:
        has = ", ".join(dict.fromkeys(str(cell.described.shape.fault) for cell in cells)) or "none"
        raise InvalidRequestError(f"chart timeline: the run has no such fault that was measured; it has: {has}")
    shape = chosen[0].described.shape
    values = [value for cell in chosen if cell.described.shape == shape for value in _values(cell)]
    seen = {value.get("state") for value in values}
    title = {"text": f"{shape.fault}: {shape_of(shape).summary}", "subtitle": [CAPTION], "offset": 16}
    head = {"config": vega.config([], font=vega.PICTURE_FONT), "title": title}
    made: Spec = harmless(with_data(_chart([state for state in STATES if state in seen]), head, values, COLUMNS))
    return made


def _values(cell: FaultCell) -> Iterable[dict[str, Any]]:
    record = cell.rounds[-1]
    client, figures = cell.described.client.name, record.figures
    if figures is None:
        return
    begin, *rest = ((step.at_ns - record.begun_ns) / 1e9 for step in record.steps)
    yield {"client": client, "from": begin, "to": rest[0] if rest else _ended_s(record, begin, figures)}
    for second, one in enumerate(figures.seconds):
        counts = [one.succeeded - (one.elsewhere or 0), one.failed]
        if one.elsewhere is not None:
            counts.append(one.elsewhere)
        for order, (state, count) in enumerate(zip(STATES, counts, strict=False)):
            yield {"client": client, "second": second, "state": state, "order": order, "commands": count}


def _ended_s(record: FaultRecord, begin: float, figures: Figures) -> float:
    """Return when a fault was over that is not mended: at once, or with the trial."""
    return float(len(figures.seconds)) if record.lasts_s else begin + 0.05


def _chart(states: Sequence[str]) -> Spec:
    color = {
        "field": "state",
        "type": "nominal",
        "scale": {"domain": list(states), "range": [STATES[state] for state in states]},
        "legend": vega.LEGEND,
    }
    time = {"type": "quantitative", "title": "seconds", "axis": {"grid": False, "tickMinStep": 1}}
    height = {"field": "commands", "type": "quantitative", "title": "commands"}
    layers = [
        {
            "transform": [{"filter": "isValid(datum.from)"}],
            "mark": {"type": "rect", "color": SHADE, "opacity": 0.25},
            "encoding": {"x": {**time, "field": "from"}, "x2": {"field": "to"}},
        },
        {
            "transform": [{"filter": "isValid(datum.state)"}, {"calculate": "datum.second + 1", "as": "next"}],
            "mark": {"type": "bar", "binSpacing": 1},
            "encoding": {
                "x": {**time, "field": "second", "bin": {"binned": True}},
                "x2": {"field": "next"},
                "y": height,
                "color": color,
                "order": {"field": "order"},
            },
        },
    ]
    facet = {"field": "client", "type": "nominal", "sort": None, "title": None}
    return {"facet": facet, "spec": {"height": 120, "layer": layers}}
