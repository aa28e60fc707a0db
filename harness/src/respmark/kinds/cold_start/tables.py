"""The tables of cold starts: a row per client, a column per stage."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median, quantiles
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.kinds.cold_start.record import ColdStart, StartsRecord
from respmark.report.header import alarms, machine_line, versions_line
from respmark.report.labels import plural
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, kind, row
from respmark.results.manifest import CellDescription, Manifest
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
ByCell = dict[str, list[StartsRecord]]


def cold_start_chapters(manifest: Manifest, records: Iterable[StartsRecord]) -> list[Chapter]:
    """Return the report of a run's cold starts."""
    cells: ByCell = defaultdict(list)
    for record in records:
        cells[record.cell_id].append(record)
    blocks: dict[str, list[CellDescription]] = {}
    for cell in manifest.cells:
        if cell.scenario is Scenario.COLD_START:
            blocks.setdefault(cell.block, []).append(cell)
    tables = [
        Table("" if len(blocks) == 1 else name, COLUMNS, tuple(_row(one, cells[one.cell_id]) for one in block))
        for name, block in blocks.items()
    ]
    reasons = [line for block in blocks.values() for cell in block for line in _reasons(cell, cells[cell.cell_id])]
    return [
        Chapter(f"respmark cold-start {manifest.run_id}", tuple(_header(manifest, cells)), level=1),
        Chapter("cold start", (LINE,), tuple(tables), (*NOTES, *dict.fromkeys(reasons))),
    ]


def _header(manifest: Manifest, cells: ByCell) -> Iterator[str]:
    most = max((len(_starts(records)) for records in cells.values()), default=0)
    yield f"{plural(most, 'start')} of each client, in turns; seed {manifest.seed}"
    for server in manifest.servers.values():
        yield f"target {server.version}, {'started for the run' if server.spawned else server.address}"
    yield machine_line(manifest.machine)
    if loaded := {one.client.name: one.versions for records in cells.values() for one in records if one.versions}:
        yield f"loaded: {versions_line(loaded)}"
    yield from alarms(manifest)


def _starts(records: Iterable[StartsRecord]) -> list[ColdStart]:
    return [start for record in records if record.status is Status.OK for start in record.starts]


def _row(cell: CellDescription, records: Sequence[StartsRecord]) -> Row:
    subject, starts = TableCell(cell.client.name, "client"), _starts(records)
    if not starts:
        status = next((one.status for one in records), Status.MISSING)
        return row(subject, TableCell(status, kind(status)), *[""] * (1 + len(STAGES)))
    totals = [one.total_ns for one in starts]
    stages = (_median_ms(map(stage, starts)) for stage in STAGES.values())
    return row(subject, TableCell(_median_ms(totals), "ok"), _spread(totals), *stages)


def _spread(totals: Sequence[int]) -> str:
    if len(totals) < SHARES:
        return ""
    low, *_, high = quantiles(totals, n=SHARES)
    return f"{_ms(low)} to {_ms(high)}"


def _median_ms(found: Iterable[int | None]) -> str:
    """Write the median of a stage; nothing if there is no such stage, or no start."""
    known = [one for one in found if one is not None]
    return _ms(median(known)) if known else ""


def _ms(nanoseconds: float) -> str:
    return numbers.significant(nanoseconds / 1e6)


def _reasons(cell: CellDescription, records: Iterable[StartsRecord]) -> Iterator[str]:
    yield from (f"{cell.client.name}: {one.status}: {one.reason}" for one in records if one.status is not Status.OK)
