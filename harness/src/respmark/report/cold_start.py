"""The table of cold starts: a row per client, a column per stage."""

from collections.abc import Callable, Iterator
from statistics import quantiles
from typing import Final

from respmark import numbers
from respmark.cold_start.model import ClientStarts, ColdStart, ColdStartRun
from respmark.report.header import machine_line, plural, versions_line
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, kind, row
from respmark.results.records import Status

STAGES: Final[dict[str, Callable[[ColdStart], int | None]]] = {
    "runtime": lambda one: one.runtime_ns,
    "load": lambda one: one.load_ns,
    "create": lambda one: one.create_ns,
    "connect": lambda one: one.connect_ns,
    "first\ncommand": lambda one: one.first_ns,
}
COLUMNS: Final = (SUBJECT, *map(Heading, ("all", "10 to 90 %", *STAGES)))
LINE: Final = "ms from the request for a process to its first reply, medians of processes started one after the other"
NOTES: Final = (
    (
        "runtime: until the first line of the program; load: the library, and the adapter's file (empty: it is a part "
        "of the program, in runtime); create: the client; connect: its connection (empty: in create); first command: a "
        "GET"
    ),
    "all: the median of whole starts, which is not the sum of the medians of their stages",
    (
        "what the program does for itself between two stages, such as reading its orders, is in none of them; what it "
        "has then loaded (JSON) a library need not load again"
    ),
)
SHARES: Final = 10
"""Of the starts, that the interval leaves out on either side: a tenth."""


def cold_start_chapters(run: ColdStartRun) -> list[Chapter]:
    """Return the report of cold starts."""
    rows = tuple(map(_row, run.clients))
    return [
        Chapter(f"respmark cold-start {run.run_id}", tuple(_header(run)), level=1),
        Chapter("cold start", (LINE,), (Table("", COLUMNS, rows),), (*NOTES, *_reasons(run))),
    ]


def _header(run: ColdStartRun) -> Iterator[str]:
    most = max((len(one.starts) for one in run.clients), default=0)
    yield f"{plural(most, 'start')} of each client, in turns; seed {run.seed}"
    yield f"target {run.target.version}, started for the run"
    yield machine_line(run.machine)
    if loaded := {one.client: one.versions for one in run.clients if one.versions}:
        yield f"loaded: {versions_line(loaded)}"


def _row(one: ClientStarts) -> Row:
    subject = TableCell(one.client, "client")
    if one.status is not Status.OK:
        return row(subject, TableCell(one.status, kind(one.status)), *[""] * (1 + len(STAGES)))
    every_ms = [_ms(one.median_ns(stage)) for stage in STAGES.values()]
    return row(subject, TableCell(_ms(one.median_ns(lambda start: start.total_ns)), "ok"), _spread(one), *every_ms)


def _spread(one: ClientStarts) -> str:
    totals = [start.total_ns for start in one.starts]
    if len(totals) < SHARES:
        return ""
    low, *_, high = quantiles(totals, n=SHARES)
    return f"{_ms(low)} to {_ms(high)}"


def _ms(nanoseconds: float | None) -> str:
    return "" if nanoseconds is None else numbers.significant(nanoseconds / 1e6)


def _reasons(run: ColdStartRun) -> Iterator[str]:
    yield from (f"{one.client}: {one.status}: {one.reason}" for one in run.clients if one.status is not Status.OK)
