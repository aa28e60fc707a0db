"""The table of cold starts."""

from typing import Any

from respmark.contract.trial import Scenario
from respmark.kinds.cold_start.record import ColdStart, StartsRecord
from respmark.kinds.cold_start.tables import cold_start_chapters
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_manifest, make_record, planned_cell

MS = 1_000_000


def start(runtime_ms: int, connect_ms: int | None) -> ColdStart:
    connect_ns = None if connect_ms is None else connect_ms * MS
    return ColdStart(
        runtime_ns=runtime_ms * MS, load_ns=40 * MS, create_ns=2 * MS, connect_ns=connect_ns, first_ns=1 * MS
    )


def record(name: str, *starts: ColdStart, number: int = 1, **changes: Any) -> StartsRecord:  # noqa: ANN401 - a record's fields
    trial = make_trial(Scenario.COLD_START, number=number, client=make_client(name))
    fields = make_record(trial).model_dump(include=set(StartsRecord.model_fields) - {"slices", "latency", "warm_up"})
    return StartsRecord(**{**fields, "starts": list(starts), **changes})


def test_a_row_has_the_medians_of_all_stages() -> None:
    """Of all rounds; what has no figure has its status there and its reason below; few starts have no interval."""
    records = [
        record("quick", start(10, 3), start(20, 3)),
        record("quick", start(30, 3), number=2),
        record("whole", *[start(10, None)] * 10),
        record("lost", status=Status.MISSING, reason="not here"),
    ]
    cells = list({one.cell_id: planned_cell(one) for one in records}.values())
    header, chapter = cold_start_chapters(make_manifest(cells=cells, seed=7), records)
    assert header.lines[0] == "10 starts of each client, in turns; seed 7"
    rows = [[cell.text for cell in row] for row in chapter.tables[0].rows]
    assert rows[0] == ["quick", "66.0", "", "20.0", "40.0", "2.00", "3.00", "1.00"]
    assert rows[1][:3] == ["whole", "53.0", "53.0 to 53.0"]
    assert rows[1][6] == ""
    assert rows[2] == ["lost", "missing", *[""] * 6]
    assert chapter.notes[-1] == "lost: missing: not here"
