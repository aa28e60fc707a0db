"""The tables of faults: one a fault, with a row a client."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.kinds.faults.duration import BUSY_PERCENT
from respmark.kinds.faults.metrics import (
    BOUNDED,
    SCATTERS_TIMES,
    FaultCell,
    FaultFigures,
    busiest_of,
    cells_of,
    elsewhere_errors_of,
    elsewhere_wait_of,
    errors_of,
    figures_of,
    left_of,
    middle,
    opened_of,
    promoted_of,
    rounds_of,
)
from respmark.kinds.faults.record import FaultRecord, Figures, Wait
from respmark.machine.sockets import SocketSettings
from respmark.report.columns import Fact, FigureColumn, RatioColumn, Section
from respmark.report.kind import Kind
from respmark.report.report import Report
from respmark.report.table import Chapter, Column, Table, TableCell, style, subject, table
from respmark.results.read import ReadRun
from respmark.specs.faults import FAILOVERS, lasts_s, shape_of

LINE: Final = "seconds: the median of the rounds, with the worst in brackets; ~: the rounds do not agree"
NOTES: Final = (
    (
        "limit: what bounds the wait for a command by the library's options, and for connecting where that fails; "
        "holds: no wait was longer than 1.1 times that and 50 ms"
    ),
    (
        "kernel: what the library asked it for, in seconds, read from its sockets: keep-alive, as the silence before "
        "the first probe + probes x their interval, and TCP_USER_TIMEOUT (user); these tell it that a host is gone"
    ),
    (
        "longest wait: of commands that were under way or due while the fault lasted, from call to result or error; "
        "perceived: from when they were due"
    ),
    (
        "first success, last caller: from the fault's end to the first success of any caller, of the last one; "
        "recovered: until a second in which 99 % of what was due succeeded in time; where nothing is mended, from the "
        "fault's begin"
    ),
    (
        "lost: acknowledged, but not there in the end; doubled: executed more often than sent; wrong: another value "
        "than the key's; late: executed after the caller had been told that it failed; each in the worst round"
    ),
    "opened, left: connections from the fault's begin on, and in the end more than before; close: of the client",
)
FAILOVER_NOTES: Final = (
    (
        "half of the callers, behind sentinels all, have all their keys on the primary that is replaced; promoted: "
        "until a replica had taken its place, and every node that was left told clients so and took commands, or a "
        "sentinel told them: the servers' share, with which the fault ends; outage: the longest time in which none of "
        "these callers had a reply; first success, last caller: theirs"
    ),
    (
        "others: callers whose keys are on other primaries; by the server: so many of the lost had not come to the "
        "replica; opened, busiest: connections at the nodes that were left, in all and in 100 ms"
    ),
)
TO_THE_HUNDREDTH_S: Final = 10
"""Shorter times are written to the hundredth of a second, longer ones with three digits."""
SHOWN: Final = 100
"""The most characters of an error's text."""


class FaultKind(Kind):
    """Faults as a kind of trial: figures are of a cell's records."""

    def measured(self, run: ReadRun, _rounds: pl.DataFrame) -> Mapping[str, FaultFigures]:
        """Return the figures of each cell that has rounds which count."""
        return {cell.described.cell_id: figures_of(cell) for cell in cells_of(run) if cell.rounds}


def _tables(report: Report) -> list[Chapter]:
    """Return a table a fault, with a row a client."""
    found: dict[str, list[FaultCell]] = {}
    for cell in cells_of(report.run):
        found.setdefault(cell.described.shape.label, []).append(cell)
    reasons = dict.fromkeys(line for group in found.values() for cell in group for line in _reasons(cell))
    tables = tuple(_table(group) for group in found.values())
    more = FAILOVER_NOTES if any(group[0].described.shape.fault in FAILOVERS for group in found.values()) else ()
    return [Chapter("faults", (LINE,), tables, (*NOTES, *more, *reasons))] if tables else []


def _table(cells: Sequence[FaultCell]) -> Table:
    shape = cells[0].described.shape
    seconds = lasts_s(shape)
    how_long = "" if not seconds else f", {'for' if shape_of(shape).is_mended else 'watched for'} {seconds:g} s"
    is_failover = shape.fault in FAILOVERS
    title = f"{shape.fault}: {shape_of(shape).summary}{'' if is_failover else how_long}"
    columns = FAILOVER_COLUMNS if is_failover else COLUMNS
    return table(title, cells, columns, (line for cell in cells for line in _notes(cell)))


def _limit(cell: FaultCell) -> str | TableCell:
    """Write the limit; of a client that was not measured, why."""
    limit = cell.limit
    if not cell.rounds:
        return TableCell(cell.status, style(cell.status))
    return "" if limit is None else limit if isinstance(limit, str) else f"{limit:g}"


def _holds(cell: FaultCell) -> str | TableCell:
    match cell.holding if cell.rounds else None:
        case None:
            return ""
        case 0:
            return TableCell("no", "failed")
        case count if count == len(cell.rounds):
            return TableCell("yes", "ok")
        case count:
            return TableCell(f"{count} of {len(cell.rounds)}", "partial")


def _kernel(cell: FaultCell) -> str:
    """Write what was asked of the kernel: keep-alive as idle time, probes and their interval, and a user time-out."""
    asked = (one.settings for record in cell.rounds for one in record.sockets or ())
    return "; ".join(dict.fromkeys(map(_asked, asked)))


def _asked(settings: SocketSettings) -> str:
    alive, user_ms = settings.keep_alive, settings.user_timeout_ms
    parts = [
        "" if alive is None else f"{alive.idle_s:,} + {alive.probes} x {alive.interval_s:,}",
        "" if user_ms is None else f"user {user_ms / 1000:g}",
    ]
    return ", ".join(filter(None, parts)) or "none"


def _longest(cell: FaultCell) -> str:
    longest = _waits(cell.waits(lambda figures: figures.longest_wait))
    return f"{longest} ~" if cell.scatters else longest


def _closing(cell: FaultCell) -> str:
    return _waits(sorted((one.close for one in cell.rounds if one.close), key=lambda one: (one.s, not one.is_over)))


def _promoted(cell: FaultCell) -> str | TableCell:
    """Write how long the servers took; of a client that was not measured, why."""
    if not cell.rounds:
        return TableCell(cell.status, style(cell.status))
    return _waits(sorted((Wait(s=one) for one in map(promoted_of, cell.rounds) if one is not None), key=_length))


def _length(wait: Wait) -> float:
    return wait.s


def _wait_column(head: str, of: Callable[[Figures], Wait | None], *, is_extra: bool = False) -> Column[FaultCell]:
    return Column(head, lambda cell: _waits(cell.waits(of)), is_extra=is_extra)


def _most_column(head: str, of: Callable[[Figures], int | None]) -> Column[FaultCell]:
    return Column(head, lambda cell: _count(cell.most(of)))


def _count_column(head: str, of: Callable[[FaultRecord], int | None], *, is_extra: bool = False) -> Column[FaultCell]:
    return Column(head, lambda cell: _count(cell.count(of)), is_extra=is_extra)


def _waits(waits: Sequence[Wait]) -> str:
    """Write the median of sorted waits, and the longest where it is another."""
    if not waits:
        return ""
    usual, worst = wait_text(middle(waits)), wait_text(waits[-1])
    return usual if usual == worst else f"{usual} ({worst})"


def wait_text(wait: Wait) -> str:
    """Write seconds: `0.52`, `> 75` where it was still waited for."""
    return f"{'' if wait.is_over else '> '}{_seconds(wait.s)}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < TO_THE_HUNDREDTH_S else numbers.significant(seconds)


def _count(count: float | None) -> str:
    return "" if count is None else f"{count:,.10g}"


_SUBJECT: Final[Column[FaultCell]] = subject(lambda cell: TableCell(cell.described.client.name, "client"))
_LIMIT: Final = Column("limit", _limit)
_KERNEL: Final = Column("kernel", _kernel, is_extra=True)
_WAITS: Final = (
    Column("longest\nwait", _longest),
    _wait_column("perceived", lambda figures: figures.perceived_wait, is_extra=True),
    _wait_column("first\nsuccess", lambda figures: figures.first_success),
    _wait_column("last\ncaller", lambda figures: figures.last_success, is_extra=True),
    _wait_column("recovered", lambda figures: figures.recovered),
    _count_column("errors", errors_of),
)
_LOST: Final = _most_column("lost", lambda figures: figures.writes.lost)
_COUNTS: Final = (
    _most_column("doubled", lambda figures: figures.writes.doubled),
    _most_column("wrong", lambda figures: figures.wrong),
    _most_column("late", lambda figures: figures.writes.late),
    _count_column("opened", opened_of, is_extra=True),
    _count_column("left", left_of, is_extra=True),
    Column("close", _closing, is_extra=True),
)
COLUMNS: Final = (_SUBJECT, _LIMIT, _KERNEL, Column("holds", _holds), *_WAITS, _LOST, *_COUNTS)
FAILOVER_COLUMNS: Final = (
    _SUBJECT,
    Column("limit", lambda cell: _limit(cell) if cell.rounds else "", is_extra=True),
    _KERNEL,
    Column("holds", _holds, is_extra=True),
    Column("promoted", _promoted),
    _wait_column("outage", lambda figures: figures.outage),
    *_WAITS,
    _wait_column("others:\nwait", elsewhere_wait_of),
    _count_column("others:\nerrors", elsewhere_errors_of),
    _LOST,
    _most_column("by the\nserver", lambda figures: figures.writes.lost_by_server),
    *(replace(one, is_extra=True) for one in _COUNTS),  # a terminal has no room for them, too
    _count_column("busiest", busiest_of, is_extra=True),
)


def _notes(cell: FaultCell) -> Iterator[str]:
    """Yield what a reader must know of the last round, and its errors, with the first text of each class."""
    name = cell.described.client.name
    for record in cell.rounds[-1:]:
        if record.made_as is not None:
            yield f"{name}: made as {record.made_as}, because this user may not drop packets"
        if (busy := record.machine_busy_percent) is not None and busy > BUSY_PERCENT:
            yield f"{name}: other programs kept the machine's processors busy for {busy:.0f} % of the time"
        if record.close_error is not None:
            yield f"{name}: closing it ended with: {record.close_error}"
        for one in record.figures.errors if record.figures else ():
            text = " ".join(one.text.split())
            shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
            counts = f"{one.during + one.after:,}" + (f" and {one.before:,} before the fault" if one.before else "")
            yield f"{name}: {one.error} ({counts}): {shown}"


def _reasons(cell: FaultCell) -> Iterator[str]:
    for record in cell.records:
        if record.reason is not None:
            yield f"{record.client.name}, {cell.described.shape.fault}: {record.status}: {record.reason}"


def _outcome(found: Mapping[str, Any]) -> str:
    return f"longest wait {_seconds(found['longest_s'])} s"


FAULTS: Final = FaultKind(
    scenarios=(Scenario.FAULTS,),
    record=FaultRecord,
    rounds=rounds_of,
    figures=FaultFigures,
    main="longest_wait",
    bounded=BOUNDED,
    least=SCATTERS_TIMES - 1,
    turns="In each round all versions had the fault at about the same time, each with a server and a relay of its own",
    own_columns=(
        FigureColumn("longest_s", "longest wait s", lambda found: str(found.longest_wait_s)),
        RatioColumn("longest_wait"),
    ),
    own_facts={
        Section.FIGURES: (
            Fact("longest_s", "longest wait", lambda found: f"{found.longest_wait_s} s", names_rounds=True),
            Fact("limit_s", "limit", lambda found: "" if found.limit_s is None else f"{found.limit_s}"),
            Fact("recovered_s", "recovered", lambda found: f"{found.recovered_s} s"),
            Fact("errors", "errors", "{:,.0f}"),
            Fact("promoted_s", "until the replica had taken over", "{:.2f} s"),
            Fact("outage_s", "without the primary's keys", "{} s"),
        )
    },
    tables=_tables,
    laps=lambda _: "one trial of each client under each fault",
    table_notes=lambda _cells, _baseline: iter(NOTES),
    in_cell="longest wait in seconds",
    about="Callers kept going at an even rate while something broke and was mended; each client had its own server.",
    outcome=_outcome,
)
