"""The one small table of a whole run."""

from respmark.report.summary import summary_legend, summary_markdown
from respmark.report.tables import Report
from respmark.results.records import WarmUp
from respmark.statistics.cells import cells_of
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record, make_result, make_run


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a client, one column a scenario and shape: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(list(report.cells)).splitlines()
    heads = ["**sync**", "**pipelining**<br>depth 100, burst", "**batching**<br>depth 100"]
    assert lines[0].startswith(f"| commands per second<br>client CPU per command | {' | '.join(heads)} | ")
    assert lines[2].startswith("| `lib` | 21,345<br>23.4 µs | 50,000<br>10.0 µs | 100,000<br>")
    assert lines[3] == "| `lib[parser=slow]` | 9,000 \\*<br>55.6 µs |  |  |  | 3,000<br>167 µs |"
    assert lines[4] == "| `other` | failed | unsupported | not measured |  |  |"
    assert lines[5] == "| `gone` | missing | missing |  |  |  |"


def test_the_fastest_are_bold() -> None:
    """Those that no other is shown to be faster than, two of them where no difference is shown."""
    cells = cells_of(make_run(*laps("slow", 1000), *laps("one", 2000), *laps("two", 2000)))
    lines = summary_markdown(cells).splitlines()
    assert ["**2,000**" in line for line in lines[2:]] == [False, True, True]
    assert "no other client is shown to be faster" in summary_legend(cells)


def test_a_cell_that_decodes_to_another_type_is_marked() -> None:
    """Its figure is not only the client's: the mark is explained below the table."""
    run = make_run(
        make_record(),
        make_record(make_trial(client=make_client("other")), results=[make_result(decodes_to="text")]),
        make_record(make_trial(client=make_client("same"))),
    )
    cells = cells_of(run)
    assert [line.count("†") for line in summary_markdown(cells).splitlines()[2:5]] == [0, 1, 0]
    assert "†: decodes replies to a different type" in summary_legend(cells)


def test_a_cell_that_was_not_warm_is_marked() -> None:
    """In one of its rounds is enough."""
    cold = WarmUp(slices=40, work_s=4.0, is_steady=False)
    cells = cells_of(make_run(make_record(), make_record(make_trial(client=make_client("other")), warm_up=cold)))
    assert [line.count("‡") for line in summary_markdown(cells).splitlines()[2:4]] == [0, 1]
    assert "‡: was still being compiled" in summary_legend(cells)
    assert "‡" not in summary_legend(cells[:1])


def test_no_cells_are_an_empty_table() -> None:
    """A run that measured nothing has no rows."""
    assert len(summary_markdown([]).splitlines()) == 2
