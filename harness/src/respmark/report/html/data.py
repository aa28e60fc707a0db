"""The data that the page's script works with, as JSON."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from respmark.escaping import line
from respmark.report.html.charts.chart import Chart, rounded
from respmark.report.html.evidence import sections
from respmark.report.html.theme import config
from respmark.report.html.view import Row, View
from respmark.statistics.measured import RATIO_NAMES


def page_data(view: View, charts: Sequence[Chart]) -> dict[str, Any]:
    """Return what the script needs; all text is harmless when displayed, and none of it is markup."""
    looks = [column.look for column in view.columns]
    data: Any = {
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
                "sections": [[section.title, section.facts] for section in sections(row, place)],
            }
            for row in view.rows
            for place in row.places
        ],
        "charts": [_chart(chart) for chart in charts],
        "config": {"light": config(looks), "dark": config(looks, dark=True)},
    }
    made: dict[str, Any] = harmless(data)
    return made


def to_script(data: Any) -> str:  # noqa: ANN401 - any JSON
    """Return JSON that can stand inside an element of a page: nothing in it ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "scenario": str(row.scenario),
        "groups": row.groups,
        "figures": {
            "rps": {place.column.number: place.rps for place in row.measured},
            "client_cpu": {place.column.number: place.client_cpu for place in row.measured},
        },
        "ratios": {metric: _ratios(row, metric) for metric in RATIO_NAMES},
    }


def _ratios(row: Row, metric: str) -> list[list[Any]]:
    """Return `[client, other, ratio, low, high, is shown]` of each pair once."""
    found = []
    for number, other in enumerate(row.measured):
        for place in row.measured[number + 1 :]:
            ratio = row.ratio(metric, place, other)
            if ratio is not None:
                values = map(rounded, (ratio.value, ratio.low, ratio.high))
                found.append([place.column.number, other.column.number, *values, int(ratio.shown)])
    return found


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        field.name: getattr(chart, field.name)
        for field in dataclasses.fields(chart)
        if field.name not in {"title", "caption"}
    }


def harmless(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON whose texts are harmless when displayed."""
    if isinstance(value, str):
        return line(value)
    if isinstance(value, dict):
        return {line(str(key)): harmless(one) for key, one in value.items()}
    return [harmless(one) for one in value] if isinstance(value, list | tuple) else value
