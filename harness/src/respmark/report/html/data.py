"""The data that the page's script works with, as JSON."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from respmark.escaping import line
from respmark.report.html.charts import Chart, rounded
from respmark.report.html.theme import config
from respmark.report.html.view import Place, Row, View
from respmark.report.notes import cell_note
from respmark.results.records import Status
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import RATIO_NAMES, Measured, metrics
from respmark.statistics.metric import FactSection, written

Facts = list[tuple[str, str]]


def page_data(view: View, charts: Sequence[Chart]) -> dict[str, Any]:
    """Return what the script needs; all text is harmless when displayed, and none of it is markup."""
    looks = [column.look for column in view.columns]
    data = {
        "baseline": view.baseline.number,
        "metrics": RATIO_NAMES,
        "clients": [
            {"name": column.name, "language": column.language, "light": column.look.light, "dark": column.look.dark}
            for column in view.columns
        ],
        "rows": [_row(row) for row in view.rows],
        "cells": [
            {
                "row": row.number,
                "client": place.column.number,
                "decodes": place.cell.decodes_to,
                "sections": list(_sections(view, place)),
            }
            for row in view.rows
            for place in row.places
        ],
        "charts": [
            {name: getattr(chart, name) for name in ("key", "spec", "fields", "rows", "pick", "columns")}
            for chart in charts
        ],
        "config": {"light": config(looks), "dark": config(looks, dark=True)},
    }
    made: dict[str, Any] = harmless(data)
    return made


def to_script(data: Any) -> str:  # noqa: ANN401 - any JSON
    """Return JSON that can stand inside an element of a page: nothing in it ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def harmless(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON whose texts are harmless when displayed."""
    if isinstance(value, str):
        return line(value)
    if isinstance(value, dict):
        return {line(str(key)): harmless(one) for key, one in value.items()}
    return [harmless(one) for one in value] if isinstance(value, list | tuple) else value


def _row(row: Row) -> dict[str, Any]:
    figures = {
        "rps": {place.column.number: place.measured.rps_median for place in row.measured},
        "client_cpu": {place.column.number: place.measured.client_cpu_us_per_command for place in row.measured},
    }
    ratios = {metric: list(_ratios(row, metric)) for metric in RATIO_NAMES}
    names = {"label": row.label, "scenario": str(row.scenario), "groups": row.groups}
    return {**names, "figures": figures, "ratios": ratios}


def _ratios(row: Row, metric: str) -> Iterator[list[Any]]:
    """Yield `[client, other, ratio, low, high, is shown]` of each pair once."""
    for number, other in enumerate(row.measured):
        for place in row.measured[number + 1 :]:
            if ratio := row.ratio(metric, place, other):
                values = rounded(ratio.value, ratio.low, ratio.high)
                yield [place.column.number, other.column.number, *values, int(ratio.shown)]


def state_of(cell: ReportCell) -> str:
    """Return what became of a cell in a few words; empty if everything planned was measured."""
    if cell.status is Status.MISSING:
        return "not installed"
    if cell.status is not Status.OK:
        return str(cell.status)
    if cell.rounds < cell.rounds_planned:
        return f"{cell.rounds} of {cell.rounds_planned} rounds"
    return "lost slices" if cell.slices_lost else ""


def _sections(view: View, place: Place) -> Iterator[tuple[str, Facts]]:
    cell = place.cell
    status = [("status", state_of(cell) or "ok"), *([("reason", cell.reason)] if cell.reason else [])]
    for section in FactSection:
        first = status if section is FactSection.FIGURES else []
        wire = [("definition", view.report.specs[cell.scenario].wire)] if section is FactSection.WIRE else []
        facts = _facts(cell, cell.measured, section) if cell.measured else ()
        if first or cell.measured:
            yield section, [*first, *wire, *facts]
    if cell.measured and (note := cell_note(cell)):
        yield "Notes", [("", note)]
    decodes = [("replies decoded to", cell.decodes_to)] if cell.decodes_to else []
    settings = [*cell.versions.items(), *view.series.settings(cell.cell_id).items(), *decodes]
    yield "Versions and settings", [*settings, ("workload", cell.workload), ("cell", cell.cell_id)]
    yield "Rounds", list(view.series.rounds(cell.cell_id))


def _facts(cell: ReportCell, measured: Measured, section: FactSection) -> Iterable[tuple[str, str]]:
    facts = [(key, one.fact) for key, one in metrics().items() if one.fact and one.fact.section is section]
    for key, fact in sorted(facts, key=lambda one: one[1].place):
        if text := written(fact.form, key, measured):
            rounds = f" in {cell.rounds} rounds" if fact.names_rounds else ""
            yield fact.label.format(unit=measured.sample_covers), text + rounds
