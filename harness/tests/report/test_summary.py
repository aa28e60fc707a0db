"""The one small table of a whole run."""

from respmark.report.report import Report
from tools.summary import summary_markdown


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a client, one column a scenario and shape: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(report.cells).splitlines()
    heads = ["**sync**", "**pipelining**<br>depth 100, burst", "**batching**<br>depth 100"]
    assert lines[0].startswith(f"| commands per second<br>client CPU per command | {' | '.join(heads)} | ")
    assert lines[2].startswith("| `lib` | 21,345<br>23.4 µs | 50,000<br>10.0 µs | 100,000<br>")
    assert lines[3] == "| `lib[parser=slow]` | 9,000 \\*<br>55.6 µs |  |  |  | 3,000<br>167 µs |"
    assert lines[4] == "| `other` | failed | unsupported | not measured |  |  |"
