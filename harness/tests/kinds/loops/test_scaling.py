"""What a server gives, by number of client hosts."""

from respmark.kinds.loops.record import HostShare
from respmark.kinds.loops.scaling import host_curves, scaling_chapters
from tests.builders.records import laps, make_run
from tests.report.html.runs import hosts_run, on_hosts


def test_a_row_has_the_throughput_of_a_number_of_hosts_beside_that_of_the_fewest() -> None:
    """Three hosts that bring 2.4 times what one does reach 80 % of the ideal."""
    (chapter,) = scaling_chapters(hosts_run())
    (table,) = chapter.tables
    assert table.title == "sync"
    rows = [[cell.text for cell in row] for row in table.rows if row[0].text == "redis-py"]
    assert [row[:3] for row in rows] == [["redis-py", "1", "1"], ["redis-py", "2", "1"], ["redis-py", "3", "1"]]
    assert [row[3].partition(" (")[0] for row in rows] == ["1,000", "1,900", "2,400"]
    assert [row[4].partition(" (")[0] for row in rows] == ["1", "1.90", "2.40"]
    assert [row[5] for row in rows] == ["100", "95", "80"]
    assert all(".." in row[3] for row in rows)


def test_the_ideal_grows_with_the_hosts() -> None:
    """From the fewest that were measured on, with as many processes on each."""
    curve = host_curves(make_run(*on_hosts("a", 4000, 2, 2), *on_hosts("a", 7000, 4, 2)))["sync", "a", 2]
    assert [point.hosts for point in curve.points] == [2, 4]
    assert [round(curve.ideal_rps(point), -2) for point in curve.points] == [4000, 8000]


def test_what_cannot_be_compared_is_left_out() -> None:
    """One number of hosts, another number of processes on each, processes that did not spread evenly, one machine."""
    assert scaling_chapters(make_run(*on_hosts("a", 9, 2))) == []
    assert scaling_chapters(make_run(*on_hosts("a", 9, 1), *on_hosts("a", 9, 2, 2))) == []
    uneven = [
        record.model_copy(update={"hosts": [share(record.hosts[0], 1), share(record.hosts[1], 2)]})
        for record in on_hosts("a", 9, 2)
    ]
    assert scaling_chapters(make_run(*on_hosts("a", 9, 1), *uneven)) == []
    assert scaling_chapters(make_run(*laps("a", 9), *laps("a", 9, processes=2))) == []


def share(of: HostShare, processes: int) -> HostShare:
    return of.model_copy(update={"processes": processes})
