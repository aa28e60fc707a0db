"""The one small table of a whole run."""

from respmark.report.summary import summary_markdown
from respmark.report.tables import Report
from respmark.statistics.cells import cells_of
from tests.builders import make_client, make_record, make_result, make_run, make_trial


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a scenario and shape, one column a client: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(list(report.cells)).splitlines()
    assert lines[0] == "| commands a second<br>client CPU a command | `lib` | `lib[parser=slow]` | `other` | `gone` |"
    assert lines[2] == "| **sync** | 21,345<br>23.4 µs | 9,000<br>55.6 µs | failed | missing |"
    assert lines[3] == "| **pipelining**<br>depth 100, burst | 50,000<br>10.0 µs |  | unsupported | missing |"
    assert lines[-1].startswith("| **batching**<br>depth 2, 2 processes |  | 3,000<br>")


def test_a_cell_that_decodes_to_another_type_is_marked() -> None:
    """Its figure is not only the client's: the mark is explained below the table."""
    run = make_run(
        make_record(),
        make_record(make_trial(client=make_client("other")), results=[make_result(decodes_to="text")]),
        make_record(make_trial(client=make_client("same"))),
    )
    lines = summary_markdown(cells_of(run)).splitlines()
    assert [value.count("†") for value in lines[2].split("|")[2:5]] == [0, 1, 0]
    assert lines[-1].startswith("† decodes replies to another type")


def test_no_cells_are_an_empty_table() -> None:
    """A run that measured nothing has no rows."""
    assert len(summary_markdown([]).splitlines()) == 2
