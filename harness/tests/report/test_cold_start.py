"""The table of cold starts."""

from datetime import UTC, datetime

from respmark.cold_start.model import ClientStarts, ColdStart, ColdStartRun
from respmark.report.cold_start import cold_start_chapters
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from tests.builders.records import make_manifest

MS = 1_000_000


def start(runtime_ms: int, connect_ms: int | None) -> ColdStart:
    connect_ns = None if connect_ms is None else connect_ms * MS
    return ColdStart(
        runtime_ns=runtime_ms * MS, load_ns=40 * MS, create_ns=2 * MS, connect_ns=connect_ns, first_ns=1 * MS
    )


def test_a_row_has_the_medians_of_all_stages() -> None:
    """What has no figure has its status there and its reason below; few starts have no interval."""
    manifest = make_manifest()
    run = ColdStartRun(
        schema_version=1,
        run_id="r",
        respmark_version="1",
        command_line=[],
        status=RunStatus.COMPLETE,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        ended_at=datetime(2026, 1, 1, tzinfo=UTC),
        seed=1,
        machine=manifest.machine,
        target=manifest.servers[manifest.first_server],
        clients=[
            ClientStarts(
                client="quick", language="Toy", status=Status.OK, starts=[start(ms, 3) for ms in (10, 20, 30)]
            ),
            ClientStarts(client="whole", language="Toy", status=Status.OK, starts=[start(10, None)] * 10),
            ClientStarts(client="lost", language="Toy", status=Status.MISSING, reason="not here"),
        ],
    )
    _, chapter = cold_start_chapters(run)
    rows = [[cell.text for cell in row] for row in chapter.tables[0].rows]
    assert rows[0] == ["quick", "66.0", "", "20.0", "40.0", "2.00", "3.00", "1.00"]
    assert rows[1][:3] == ["whole", "53.0", "53.0 to 53.0"]
    assert rows[1][6] == ""
    assert rows[2] == ["lost", "missing", *[""] * 6]
    assert chapter.notes[-1] == "lost: missing: not here"
