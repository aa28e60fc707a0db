"""The depth where deeper stops paying."""

from respmark.kinds.loops.depths import depth_chapters
from tests.builders.records import laps, make_run
from tests.report.html.runs import loaded_run


def test_it_stands_by_client_and_round_trip() -> None:
    """The first after which no step adds 10 %; with a plus if the deepest one still adds."""
    (chapter,) = depth_chapters(loaded_run())
    (table,) = chapter.tables
    assert [column.head for column in table.columns] == ["", "0 ms", "1 ms"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["redis-py", "100", "100+"],
        ["jedis", "100", "100+"],
    ]


def test_rounds_that_disagree_are_said() -> None:
    """So that a step of about 10 % does not look certain."""
    rates = {10: 20, 20: 22, 40: 22}
    (chapter,) = depth_chapters(
        make_run(*(one for d, rps in rates.items() for one in laps("a", rps, depth=d, rtt_ms=1)))
    )
    assert chapter.tables[0].rows[0][1].text == "20 (10..20)"


def test_without_a_round_trip_or_depths_there_is_none() -> None:
    """The chapter is about what a network changes."""
    assert depth_chapters(make_run(*laps("a", 9, depth=1), *laps("a", 9, depth=10))) == []
    assert depth_chapters(make_run(*laps("a", 9, depth=1, rtt_ms=1))) == []
