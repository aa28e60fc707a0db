"""Tables as data."""

from respmark.contract.trial import Scenario, Shape
from respmark.report.tables import Block, Report, ScenarioTable, make_report
from respmark.results.store import Run
from tests.builders import SHIPPED, make_client, make_record, make_result, make_run, make_trial


def table_of(report: Report, scenario: Scenario) -> ScenarioTable:
    """Return one scenario's table."""
    return next(table for table in report.tables if table.scenario is scenario)


def values(table: ScenarioTable, metric: str, block: int = 0) -> tuple[str, ...]:
    """Return one metric of all clients."""
    return next(row.values for row in table.blocks[block].rows if row.metric.strip() == metric)


def metrics(block: Block) -> list[str]:
    """Return the names of a block's rows."""
    return [row.metric.strip() for row in block.rows]


def test_one_table_a_scenario_in_the_suites_order(report: Report) -> None:
    """Each has its definition and the clients that have a cell in it."""
    assert [table.scenario for table in report.tables] == ["sync", "pipelining", "batching"]
    assert table_of(report, Scenario.SYNC).summary == SHIPPED.scenarios[Scenario.SYNC].summary
    assert table_of(report, Scenario.SYNC).clients == ("lib", "lib[parser=slow]", "other", "gone")
    assert table_of(report, Scenario.PIPELINING).clients == ("lib", "other", "gone")


def test_states_stand_where_figures_would(report: Report) -> None:
    """Failed in part is marked, failed, missing and unsupported are words: no row is left out."""
    assert values(table_of(report, Scenario.SYNC), "RPS, median") == ("21,345", "9,000 *", "failed", "missing")
    assert values(table_of(report, Scenario.PIPELINING), "RPS, median") == ("50,000", "unsupported", "missing")


def test_all_figures_of_the_issue_are_there(report: Report) -> None:
    """Throughput with its extremes, CPU of both sides, latency, reads, connections and bottleneck."""
    assert metrics(table_of(report, Scenario.SYNC).blocks[0]) == [
        "RPS, median",
        "min..max",
        "RPS / lib",
        "client CPU / lib",
        "server CPU / lib",
        "client CPU",
        "server CPU",
        "p50 / p99 a command",
        "p99.9 / max",
        "commands a read",
        "connections",
        "bottleneck",
    ]


def test_figures_of_another_decoding_are_marked_and_the_note_says_which() -> None:
    """Text and bytes are different work; both a table and its notes say so, once."""
    run = make_run(
        make_record(),
        make_record(make_trial(client=make_client("texts")), results=[make_result(decodes_to="text")]),
        make_record(make_trial(client=make_client("texts[x=y]")), results=[make_result(decodes_to="text")]),
    )
    (table,) = make_report(run, SHIPPED.scenarios).tables
    assert [value.endswith(" †") for value in values(table, "RPS, median")] == [False, True, True]
    (note,) = [note for note in table.notes if note.startswith("†")]
    assert note == ("† lib decodes replies to bytes, texts to text, texts[x=y] to text: part of the difference is that")


def test_ratios_stand_beside_the_figures(report: Report) -> None:
    """The baseline is 1; one round has no interval, and a client that was not measured has no ratio."""
    table = table_of(report, Scenario.SYNC)
    assert values(table, "RPS / lib") == ("1", "0.45 (no interval)", "", "")


def test_figures_have_their_units(report: Report) -> None:
    """The first client's column of `sync`, worked out by hand."""
    table = table_of(report, Scenario.SYNC)
    assert values(table, "min..max")[0] == "20,000..22,000"
    assert values(table, "client CPU")[0] == "50 %, 23.4 µs"
    assert values(table, "server CPU")[0] == "20 %, 9.37 µs"
    assert values(table, "p50 / p99 a command")[0] == "1.00 / 1.00 ms"
    assert values(table, "p99.9 / max")[0] == "1.00 / 2.00 ms"
    assert values(table, "commands a read")[0] == "1.0"
    assert values(table, "bottleneck")[0] == "round trip"


def test_connections_that_were_opened_in_slices_are_told(report: Report) -> None:
    """Open at its begin, and new in it."""
    assert values(table_of(report, Scenario.PIPELINING), "connections")[0] == "100, 3 new"
    assert values(table_of(report, Scenario.SYNC), "connections")[0] == "1"


def test_what_a_sample_covers_is_in_the_rows_name(report: Report) -> None:
    """The latency of a burst is not mistaken for that of a command."""
    assert "p50 / p99 a burst" in metrics(table_of(report, Scenario.PIPELINING).blocks[0])
    assert "p50 / p99 a batch" in metrics(table_of(report, Scenario.BATCHING).blocks[0])


def test_shapes_are_blocks_in_order(report: Report) -> None:
    """A client without a cell in a shape has an empty place there."""
    table = table_of(report, Scenario.BATCHING)
    assert [block.label for block in table.blocks] == ["depth 100", "depth 2", "depth 2, 2 processes"]
    assert values(table, "RPS, median", 1) == ("3,000", "")
    assert values(table, "RPS, median", 2) == ("", "3,000")


def test_a_row_that_says_nothing_is_left_out(report: Report) -> None:
    """An old server tells nothing of its reads: the row would be empty."""
    assert "commands a read" not in metrics(table_of(report, Scenario.BATCHING).blocks[1])


def test_missing_clients_are_told_once(report: Report) -> None:
    """However many scenarios they miss."""
    assert report.missing == ("gone is missing: npm: not found; install Node.js",)


def test_cells_are_placed_by_shape_and_client_not_by_position(run: Run) -> None:
    """The order of the files does not move a figure into another column."""
    backwards = Run(run.folder, run.manifest, tuple(reversed(run.records)))
    tables = [make_report(made, SHIPPED.scenarios).tables for made in (run, backwards)]
    assert [table.blocks[0].rows[0] for table in tables[0]] == [table.blocks[0].rows[0] for table in tables[1]]


def test_shapes_that_differ_in_processes_only_are_two_blocks() -> None:
    """Two processes are not merged with one."""
    trials = [make_trial(shape=Shape(processes=number), client=make_client()) for number in (1, 2)]
    (table,) = make_report(make_run(*map(make_record, trials)), SHIPPED.scenarios).tables
    assert [block.label for block in table.blocks] == ["", "2 processes"]
