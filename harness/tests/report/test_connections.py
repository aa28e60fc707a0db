"""Memory by connections."""

from respmark.contract.trial import Scenario, Shape
from respmark.report.connections import connection_chapters
from respmark.results.records import TrialRecord
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_run

MIB = 1 << 20


def pool(name: str, connections: int, memory_mib: int) -> TrialRecord:
    shape = Shape(threads=connections, max_total=connections)
    trial = make_trial(Scenario.POOL, shape, 1, make_client(name, library=name), "tiny")
    return make_record(trial, peak_memory_bytes=memory_mib * MIB)


def test_a_row_has_the_memory_of_each_pool_and_what_the_last_connections_add() -> None:
    """900 connections in 9 MiB; a client that was measured with one size has nothing to compare."""
    (chapter,) = connection_chapters(
        make_run(pool("a", 1, 20), pool("a", 100, 21), pool("a", 1000, 30), pool("b", 10, 20), pool("b", 100, 20))
    )
    (table,) = chapter.tables
    assert [column.head for column in table.columns] == ["", "1", "10", "100", "1,000", "KiB per\nconnection"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["a", "20", "", "21", "30", "10.2"],
        ["b", "", "20", "20", "", "0"],
    ]


def test_one_size_is_no_table() -> None:
    """Most runs have one."""
    assert connection_chapters(make_run(pool("a", 10, 20))) == []
