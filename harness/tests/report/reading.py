"""How tests read chapters and tables."""

import io
from collections.abc import Iterable
from typing import Any

from respmark.console import SafeConsole
from respmark.kinds.loops.record import LoopRecord
from respmark.report.report import Report
from respmark.report.scenarios import scenario_chapters
from respmark.report.table import Chapter, Table
from respmark.report.terminal import print_chapters
from tests.builders.plan import SHIPPED
from tests.builders.records import make_run


def reported(*records: LoopRecord, **changes: Any) -> Report:  # noqa: ANN401 - a manifest's fields
    return Report(make_run(*records, **changes), SHIPPED.scenarios)


def printed(chapters: Iterable[Chapter], width: int = 100) -> str:
    console = SafeConsole(file=io.StringIO(), width=width)
    print_chapters(console, chapters)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def heads(table: Table) -> list[str]:
    return [column.head.replace("\n", " ") for column in table.columns]


def values(table: Table, head: str) -> dict[str, str]:
    place = heads(table).index(head)
    return {row[0].text: row[place].text for row in table.rows}


def tables(report: Report) -> dict[str, list[Table]]:
    chapters = scenario_chapters(report.cells, report.specs, report.sort, report.baseline)
    return {one.title: list(one.tables) for one in chapters}


def notes(report: Report) -> dict[str, tuple[str, ...]]:
    chapters = scenario_chapters(report.cells, report.specs, report.sort, report.baseline)
    return {one.title: one.notes for one in chapters}
