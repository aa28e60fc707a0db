"""The one small table of a whole run."""

from respmark.report.report import Report
from respmark.results.records import WarmUp
from respmark.statistics.cells import cells_of
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record, make_run
from tools.summary import summary_legend, summary_markdown


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a client, one column a scenario and shape: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(report.cells).splitlines()
    heads = ["**sync**", "**pipelining**<br>depth 100, burst", "**batching**<br>depth 100"]
    assert lines[0].startswith(f"| commands per second<br>client CPU per command | {' | '.join(heads)} | ")
    assert lines[2].startswith("| `lib` | 21,345<br>23.4 µs | 50,000<br>10.0 µs | 100,000<br>")
    assert lines[3] == "| `lib[parser=slow]` | 9,000 \\*<br>55.6 µs |  |  |  | 3,000<br>167 µs |"
    assert lines[4] == "| `other` | failed | unsupported | not measured |  |  |"


def test_marks_are_explained() -> None:
    """Those that the table has: the fastest, who decodes otherwise, who was not warm."""
    cold = WarmUp(slices=40, work_s=4.0, is_steady=False)
    text = make_record(make_trial(client=make_client("b")), decodes_to="text", warm_up=cold)
    cells = cells_of(make_run(make_record(), text))
    assert [[mark in line for mark in "†‡"] for line in summary_markdown(cells).splitlines()[2:]] == [
        [False, False],
        [True, True],
    ]
    assert [mark in summary_legend(cells) for mark in ("†: ", "‡: ", "Bold")] == [True, True, False]
    fast = cells_of(make_run(*laps("slow", 1000), *laps("one", 2000), *laps("two", 2000)))
    assert ["**2,000**" in line for line in summary_markdown(fast).splitlines()[2:]] == [False, True, True]
    assert [mark in summary_legend(fast) for mark in ("†: ", "‡: ", "Bold")] == [False, False, True]
