"""The tables of faults: one a fault, with a row a client."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.kinds.faults.metrics import FaultCell, cells_of, errors_of, left_of, middle, opened_of
from respmark.kinds.faults.plan import BUSY_PERCENT
from respmark.kinds.faults.record import FaultRecord, Figures, Wait
from respmark.report.header import alarms, machine_line, plural, versions_line
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, kind, row
from respmark.results.manifest import Manifest
from respmark.specs.faults import lasts_s, shape_of

WAITS: Final[dict[str, Callable[[Figures], Wait]]] = {
    "longest\nwait": lambda figures: figures.longest_wait,
    "perceived": lambda figures: figures.perceived_wait,
    "first\nsuccess": lambda figures: figures.first_success,
    "last\ncaller": lambda figures: figures.last_success,
    "recovered": lambda figures: figures.recovered,
}
EXTRA: Final = {"perceived", "last\ncaller"}
COUNTS: Final[dict[str, Callable[[Figures], int]]] = {
    "lost": lambda figures: figures.writes.lost,
    "doubled": lambda figures: figures.writes.doubled,
    "wrong": lambda figures: figures.wrong,
    "late": lambda figures: figures.writes.late,
}
COLUMNS: Final = (
    SUBJECT,
    *map(Heading, ("limit", "holds")),
    *(Heading(name, is_extra=name in EXTRA) for name in WAITS),
    *map(Heading, ("errors", *COUNTS)),
    Heading("opened", is_extra=True),
    Heading("left", is_extra=True),
    Heading("close", is_extra=True),
)
LINE: Final = "seconds: the median of the rounds, with the worst in brackets; ~: the rounds do not agree"
NOTES: Final = (
    (
        "limit: what bounds the wait for a command by the library's options, and for connecting where that fails; "
        "holds: no wait was longer than 1.1 times that and 50 ms"
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
SHOWN: Final = 100
"""The most characters of an error's text."""


def fault_chapters(manifest: Manifest, records: Iterable[FaultRecord]) -> list[Chapter]:
    """Return the report of a run's faults."""
    found: dict[str, list[FaultCell]] = {}
    for cell in cells_of(manifest, records):
        found.setdefault(cell.described.shape.label, []).append(cell)
    cells = [cell for group in found.values() for cell in group]
    reasons = dict.fromkeys(line for cell in cells for line in _reasons(cell))
    return [
        Chapter(f"respmark faults {manifest.run_id}", tuple(_header(manifest, cells)), level=1),
        Chapter("faults", (LINE,), tuple(_table(group) for group in found.values()), (*NOTES, *reasons)),
    ]


def _header(manifest: Manifest, cells: Sequence[FaultCell]) -> Iterator[str]:
    yield f"{plural(manifest.rounds, 'round')}; seed {manifest.seed}"
    for server in manifest.servers.values():
        yield f"target {server.version}, {'started for each trial' if server.spawned else server.address}"
    yield machine_line(manifest.machine)
    loaded = {one.client.name: one.versions for cell in cells for one in cell.rounds if one.versions}
    if loaded:
        yield f"loaded: {versions_line(loaded)}"
    yield from alarms(manifest)


def _table(cells: Sequence[FaultCell]) -> Table:
    shape = cells[0].described.shape
    seconds = lasts_s(shape)
    how_long = "" if not seconds else f", {'for' if shape_of(shape).is_mended else 'watched for'} {seconds:g} s"
    return Table(
        f"{shape.fault}: {shape_of(shape).summary}{how_long}",
        COLUMNS,
        tuple(map(_row, cells)),
        tuple(line for cell in cells for line in _notes(cell)),
    )


def _row(cell: FaultCell) -> Row:
    name = TableCell(cell.described.client.name, "client")
    if not cell.rounds:
        return row(name, TableCell(cell.status, kind(cell.status)), *[""] * (len(COLUMNS) - 2))
    waits = [cell.waits(of) for of in WAITS.values()]
    longest, *others = [_waits(one) for one in waits]
    closing = sorted((one.close for one in cell.rounds if one.close), key=lambda one: (one.s, not one.is_over))
    return row(
        name,
        _limit(cell),
        _holds(cell),
        f"{longest} ~" if cell.scatters else longest,
        *others,
        _count(cell.count(errors_of)),
        *(_count(cell.most(of)) for of in COUNTS.values()),
        _count(cell.count(opened_of)),
        _count(cell.count(left_of)),
        _waits(closing),
    )


def _limit(cell: FaultCell) -> str:
    limit = cell.limit
    return "" if limit is None else limit if isinstance(limit, str) else f"{limit:g}"


def _holds(cell: FaultCell) -> str | TableCell:
    match cell.holding:
        case None:
            return ""
        case 0:
            return TableCell("no", "failed")
        case count if count == len(cell.rounds):
            return TableCell("yes", "ok")
        case count:
            return TableCell(f"{count} of {len(cell.rounds)}", "partial")


def _waits(waits: Sequence[Wait]) -> str:
    """Write the median of sorted waits, and the longest where it is another."""
    half = middle(waits)
    if half is None:
        return ""
    usual, worst = _wait(half), _wait(waits[-1])
    return usual if usual == worst else f"{usual} ({worst})"


def _wait(wait: Wait) -> str:
    return f"{'' if wait.is_over else '> '}{_seconds(wait.s)}"


def _seconds(seconds: float) -> str:
    """Write seconds to the hundredth, and long ones with three digits."""
    return f"{seconds:.2f}" if seconds < 10 else numbers.significant(seconds)  # noqa: PLR2004 - three digits, too


def _count(count: float | None) -> str:
    return "" if count is None else f"{count:,.10g}"


def _notes(cell: FaultCell) -> Iterator[str]:
    """Yield what a reader must know of the last round, and its errors, with the first text of each class."""
    name = cell.described.client.name
    for record in cell.rounds[-1:]:
        if record.made_as is not None:
            yield f"{name}: made as {record.made_as}, because this user may not drop packets"
        if (busy := record.machine_busy_percent) is not None and busy > BUSY_PERCENT:
            yield f"{name}: other programs kept the machine's processors busy for {busy:.0f} % of the time"
        for one in record.figures.errors if record.figures else ():
            text = " ".join(one.text.split())
            shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
            counts = f"{one.during + one.after:,}" + (f" and {one.before:,} before the fault" if one.before else "")
            yield f"{name}: {one.error} ({counts}): {shown}"


def _reasons(cell: FaultCell) -> Iterator[str]:
    for record in cell.records:
        if record.reason is not None:
            yield f"{record.client.name}, {cell.described.shape.fault}: {record.status}: {record.reason}"
