"""Runs of builds, as files."""

from pathlib import Path

from respmark.kinds.loops.record import LoopRecord
from respmark.results.store import RunFolder
from tests.builders.plan import make_client
from tests.builders.records import laps, make_manifest, planned_cell


def build(name: str, operations: int) -> list[LoopRecord]:
    client = make_client(name, library="lib")
    return [record.model_copy(update={"client": client}) for record in laps(name, operations)]


def builds(folder: Path, *records: LoopRecord) -> str:
    """Write a run of these records."""
    run = RunFolder.create(folder)
    cells = list({record.cell_id: planned_cell(record) for record in records}.values())
    clients = list(dict.fromkeys(record.client.name for record in records))
    run.write_manifest(make_manifest(run_id=folder.name, cells=cells, clients=clients, rounds=4))
    for record in records:
        run.append(record)
    return str(folder)
