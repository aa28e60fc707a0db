"""Tables of what load generators measured elsewhere: shown as foreign, and compared only on request."""

from collections.abc import Callable, Iterable
from typing import Final

from respmark import numbers
from respmark.imported.model import ImportedRecord, ImportedRun
from respmark.report.tables import Block, Column, Row, ScenarioTable
from respmark.results.records import Status

FOREIGN: Final = (
    "foreign, without evidence: the tool's own word, which no server's counters back; another workload, another loop, "
    "perhaps another machine"
)
COLUMNS: Final[tuple[tuple[str, Callable[[ImportedRecord], str]], ...]] = (
    ("RPS", lambda r: "" if r.rps is None else numbers.rps(r.rps)),
    ("mean\nms", lambda r: numbers.milliseconds(r.mean_ms)),
    ("p50\nms", lambda r: numbers.milliseconds(r.p50_ms)),
    ("p99\nms", lambda r: numbers.milliseconds(r.p99_ms)),
    ("p99.9\nms", lambda r: numbers.milliseconds(r.p999_ms)),
    ("max\nms", lambda r: numbers.milliseconds(r.max_ms)),
)


def imported_header(run: ImportedRun) -> list[str]:
    """Return the lines above the table."""
    return [imported_line(run), f"{FOREIGN}; compared only where you ask: respmark compare"]


def imported_line(run: ImportedRun) -> str:
    """Return what was imported, and from where, in one line."""
    return f"imported {run.run_id}: {run.tool}, from {run.imported_from}"


def imported_tables(run: ImportedRun) -> list[ScenarioTable]:
    """Return one table, with a block for each set of conditions."""
    places = dict.fromkeys(map(imported_place, run.records))
    blocks = tuple(_block(place, [one for one in run.records if imported_place(one) == place]) for place in places)
    return [ScenarioTable(str(run.tool), "imported, foreign, without evidence", blocks, ())]


def imported_place(record: ImportedRecord) -> str:
    """Return the conditions of a line in words."""
    return ", ".join(f"{name} {value}" for name, value in record.conditions.items())


def _block(label: str, records: Iterable[ImportedRecord]) -> Block:
    found = list(records)
    shown = [COLUMNS[0], *(column for column in COLUMNS[1:] if any(column[1](record) for record in found))]
    rows = tuple(Row(_subject(one), tuple(write(one) for _, write in shown), Status.OK) for one in found)
    return Block(label, tuple(Column(head) for head, _ in shown), rows)


def _subject(record: ImportedRecord) -> str:
    version = f" {record.client_version}" if record.client_version else ""
    return f"{record.client}{version}: {record.command}"
