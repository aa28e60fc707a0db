"""What each host did."""

from respmark.kinds.loops.hosts import host_chapters
from tests.builders.records import laps, make_run
from tests.report.html.runs import on_hosts


def test_a_row_has_the_part_of_a_host_and_what_others_used_of_it() -> None:
    """All rounds together; of what others used, the median round."""
    records = on_hosts("jedis", 4000, 2)
    busy = [
        record.model_copy(
            update={"hosts": [one.model_copy(update={"other_cpu_percent": percent}) for one in record.hosts]}
        )
        for record, percent in zip(records, (5.0, 7.0, 9.0, None), strict=True)
    ]
    run = make_run(*busy)
    (chapter,) = host_chapters(run)
    (table,) = chapter.tables
    heads = [column.head.replace("\n", " ") for column in table.columns]
    first, second = ([cell.text for cell in row] for row in table.rows)
    assert dict(zip(heads, first, strict=True)) | {"all at work %": ""} == {
        "": "jedis",
        "host": "host-0",
        "processes": "1",
        "RPS": "4,000",
        "share %": "50",
        "client CPU µs": "25.0",
        "others' CPU %": "7",
        "clock error µs": "1",
        "all at work %": "",
    }
    assert second[1] == "host-1"


def test_a_run_on_one_machine_has_no_such_table() -> None:
    run = make_run(*laps("a", 9))
    assert host_chapters(run) == []
