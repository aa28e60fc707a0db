"""The highest rates that keep to a goal, and latency below them, as tables."""

from collections.abc import Sequence
from typing import Final

from respmark import numbers
from respmark.figures.load import Highest, LatencyAtRate
from respmark.figures.metric import known_median
from respmark.report.notes import joined, shape_label
from respmark.report.scenarios import ratio_text
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Row, Table, row, without_empty_columns
from respmark.results.records import Aim, on_server

TITLE: Final = "the highest rates"
SUMMARY: Final = (
    "how many commands per second each client takes and still keeps to the goal, and its latency below that"
)
COLUMNS: Final = (
    SUBJECT,
    Column("highest\ncommands/s"),
    Column("passed..failed\nover rounds"),
    *(Column(f"p50/p99 ms\nat {aim}", aim is not Aim.SEVENTY) for aim in (Aim.HALF, Aim.SEVENTY, Aim.NINETY)),
    Column("p50/p99 ms at\nthe common rate"),
    Column("p99 ratio\nat that"),
)
NOTE: Final = (
    "latency is from due to done, the median of slices; 50, 70 and 90 % are of each client's own highest rate, the "
    "common rate is 70 % of the lowest of them; ratios as in other tables (docs/load.md)"
)


def load_chapters(found: Sequence[Highest]) -> list[Chapter]:
    """Return the chapter of the highest rates, a table for each use; none if none were looked for."""
    by_use: dict[tuple[str, str], list[Highest]] = {}
    for one in found:
        by_use.setdefault((one.trial.block, one.trial.workload), []).append(one)
    if not by_use:
        return []
    several = len({one.trial.server for one in found}) > 1
    tables = [_table(of_use, names_server=several) for of_use in by_use.values()]
    return [Chapter(TITLE, (SUMMARY,), without_empty_columns(tables), (NOTE,))]


def _table(of_use: Sequence[Highest], *, names_server: bool) -> Table:
    trial = of_use[0].trial
    common = known_median([one.common_rate for one in of_use])
    rate = f"common rate {numbers.rps(common)}" if common is not None else ""
    title = joined(str(trial.scenario), shape_label(trial.shape), rate)
    return Table(title, COLUMNS, tuple(_row(one, names_server=names_server) for one in of_use))


def _row(one: Highest, *, names_server: bool) -> Row:
    subject = on_server(one.trial.client.name, one.trial.server if names_server else None)
    highest = known_median(one.held) or 0.0
    failed = f"..{numbers.rps(max(one.failed))}" if one.failed else " and more"
    return row(
        Cell(subject, "client"),
        numbers.rps(highest) if highest else "none",
        f"{numbers.rps(min(one.held))}{failed}",
        *(_point(one.points[aim]) for aim in (Aim.HALF, Aim.SEVENTY, Aim.NINETY, Aim.COMMON)),
        ratio_text(one.p99_ratio),
    )


def _point(point: LatencyAtRate) -> str:
    if point.p50_ms is None:
        return ""
    return f"{numbers.milliseconds(point.p50_ms)}/{numbers.milliseconds(point.p99_ms) or '-'}"
