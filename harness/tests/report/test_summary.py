"""The one small table of a whole run."""

from respmark.report.summary import summary_markdown
from respmark.report.tables import Report


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a scenario and shape, one column a client: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(list(report.cells)).splitlines()
    assert lines[0] == "| commands a second<br>client CPU a command | `lib` | `lib[parser=slow]` | `other` | `gone` |"
    assert lines[2] == "| **sync** | 21,345<br>23.4 µs | 9,000<br>55.6 µs | failed | missing |"
    assert lines[3] == "| **pipelining**<br>depth 100, burst | 50,000<br>10.0 µs |  | unsupported | missing |"
    assert lines[-1].startswith("| **batching**<br>depth 2, 2 processes |  | 3,000<br>")


def test_no_cells_are_an_empty_table() -> None:
    """A run that measured nothing has no rows."""
    assert len(summary_markdown([]).splitlines()) == 2
