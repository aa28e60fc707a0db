"""Tables of what load generators measured elsewhere: shown as foreign, compared with nothing."""

from collections.abc import Callable, Iterable
from typing import Final

from respmark.imported.model import ImportedRecord, ImportedRun
from respmark.records import Status
from respmark.report import numbers
from respmark.report.tables import Block, Column, Row, ScenarioTable

FOREIGN: Final = (
    "foreign, without evidence: the tool's own word, which no server's counters back; another workload, another loop, "
    "perhaps another machine. It is compared with nothing"
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
    return [f"imported {run.run_id}: {run.tool}, from {run.imported_from}", FOREIGN]


def imported_tables(run: ImportedRun) -> list[ScenarioTable]:
    """Return one table, with a block for each set of conditions."""
    places = list(dict.fromkeys(_place(record) for record in run.records))
    blocks = tuple(_block(place, [record for record in run.records if _place(record) == place]) for place in places)
    return [ScenarioTable(str(run.tool), "imported, foreign, without evidence", blocks, ())]


def _place(record: ImportedRecord) -> str:
    return ", ".join(f"{name} {value}" for name, value in record.conditions.items())


def _block(label: str, records: Iterable[ImportedRecord]) -> Block:
    found = list(records)
    shown = [COLUMNS[0], *(column for column in COLUMNS[1:] if any(column[1](record) for record in found))]
    rows = tuple(Row(_subject(one), tuple(write(one) for _, write in shown), Status.OK) for one in found)
    return Block(label, tuple(Column(head) for head, _ in shown), rows)


def _subject(record: ImportedRecord) -> str:
    version = f" {record.client_version}" if record.client_version else ""
    return f"{record.client}{version}: {record.command}"
