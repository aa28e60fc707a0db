"""Memory by connections."""

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.connections import connection_chapters
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from respmark.report.table import Table
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_run, unmeasured

MIB = 1 << 20


def trial_of(name: str, scenario: Scenario, shape: Shape) -> Trial:
    return make_trial(scenario, shape, 1, make_client(name, library=name), "tiny")


def pool_of(name: str, connections: int) -> Trial:
    return trial_of(name, Scenario.POOL, Shape(threads=connections, max_total=connections))


def objects_of(name: str, connections: int) -> Trial:
    return trial_of(name, Scenario.BATCHING, Shape(depth=1, connections=connections))


def pool(name: str, connections: int, memory_mib: int) -> LoopRecord:
    return make_record(pool_of(name, connections), peak_memory_bytes=memory_mib * MIB)


def objects(name: str, connections: int, memory_mib: int) -> LoopRecord:
    return make_record(objects_of(name, connections), peak_memory_bytes=memory_mib * MIB)


def rows_of(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_a_row_has_the_memory_of_each_pool_and_what_the_last_connections_add() -> None:
    """900 connections in 9 MiB; a client that was measured with one size has nothing to compare."""
    (chapter,) = connection_chapters(
        make_run(pool("a", 1, 20), pool("a", 100, 21), pool("a", 1000, 30), pool("b", 10, 20), pool("b", 100, 20))
    )
    (table,) = chapter.tables
    assert [column.head for column in table.columns] == ["", "1", "10", "100", "1,000", "KiB per\nconnection"]
    assert rows_of(table) == [["a", "20", "", "21", "30", "10.2"], ["b", "", "20", "20", "", "0"]]


def test_a_client_without_a_pool_has_a_row_of_its_client_objects_or_the_reason() -> None:
    """In the table of what it can do; a client that can do neither is in both with the reasons."""
    lacking = [
        unmeasured(Status.UNSUPPORTED, "b has no pool", pool_of("b", 10)),
        unmeasured(Status.UNSUPPORTED, "c has no pool", pool_of("c", 10)),
        unmeasured(Status.UNSUPPORTED, "c waits", objects_of("c", 10)),
    ]
    measured = (pool("a", 1, 20), pool("a", 10, 21), objects("b", 1, 10), objects("b", 10, 19))
    (chapter,) = connection_chapters(make_run(*measured, *lacking))
    pools, several = chapter.tables
    assert rows_of(pools) == [["a", "20", "21", "114"], ["c (1)", "", "", ""]]
    assert pools.notes == ("(1) c: unsupported: c has no pool",)
    assert rows_of(several) == [["b", "10", "19", "1,024"], ["c (1)", "", "", ""]]
    assert several.notes == ("(1) c: unsupported: c waits",)


def test_one_size_is_no_table() -> None:
    """Most runs have one."""
    assert connection_chapters(make_run(pool("a", 10, 20))) == []
