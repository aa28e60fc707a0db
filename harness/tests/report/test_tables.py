"""Tables as data."""

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Trial
from respmark.report.tables import Block, Report, ScenarioTable, Sort, make_report
from respmark.results.records import Status
from respmark.results.store import Run
from respmark.specs.scenario import ScenarioSpec
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_result, make_run


def table_of(report: Report, scenario: Scenario) -> ScenarioTable:
    """Return one scenario's table."""
    return next(table for table in report.tables if table.scenario is scenario)


def heads(block: Block) -> list[str]:
    """Return the heads of a block's columns on one line each."""
    return [column.head.replace("\n", " ") for column in block.columns]


def values(table: ScenarioTable, head: str, block: int = 0) -> dict[str, str]:
    """Return one column by client."""
    found = table.blocks[block]
    return {row.subject: row.values[heads(found).index(head)] for row in found.rows}


def subjects(report: Report) -> list[str]:
    """Return the clients of the first block, as its rows name them."""
    return [row.subject for row in report.tables[0].blocks[0].rows]


def test_a_scenario_is_what_it_was_when_it_was_measured() -> None:
    """The manifest says so; what it does not say is as shipped."""
    told = {Scenario.SYNC: ScenarioSpec(summary="as it was", wire="one by one")}
    batching = make_record(make_trial(scenario=Scenario.BATCHING, shape=Shape(depth=10)))
    report = make_report(make_run(make_record(), batching, scenarios=told), SHIPPED.scenarios)
    assert table_of(report, Scenario.SYNC).summary == "as it was"
    assert table_of(report, Scenario.BATCHING).summary == SHIPPED.scenarios[Scenario.BATCHING].summary


def test_one_table_a_scenario_in_the_suites_order(report: Report) -> None:
    """Each has its definition and a row for every client that has a cell in it."""
    assert [table.scenario for table in report.tables] == ["sync", "pipelining", "batching"]
    assert table_of(report, Scenario.SYNC).summary == SHIPPED.scenarios[Scenario.SYNC].summary
    assert subjects(report) == ["lib", "lib[parser=slow]", "other", "gone"]
    assert list(values(table_of(report, Scenario.PIPELINING), "RPS")) == ["lib", "other", "gone"]


def test_states_stand_where_figures_would(report: Report) -> None:
    """Failed in part is marked; failed, missing, unsupported and not measured are words: no row is left out."""
    assert list(values(table_of(report, Scenario.SYNC), "RPS").values()) == ["21,345", "9,000 *", "failed", "missing"]
    assert list(values(table_of(report, Scenario.PIPELINING), "RPS").values()) == ["50,000", "unsupported", "missing"]
    assert values(table_of(report, Scenario.BATCHING), "RPS")["other"] == "not measured"
    rows = [row for table in report.tables for block in table.blocks for row in block.rows]
    assert {row.status for row in rows} == set(Status)
    assert [row.subject for row in rows if row.is_partial] == ["lib[parser=slow]"]


def test_all_figures_are_there(report: Report) -> None:
    """What everybody wants first; what needs a wide terminal after that."""
    (block,) = table_of(report, Scenario.SYNC).blocks
    first = [column.head.replace("\n", " ") for column in block.columns if not column.is_extra]
    assert first == ["RPS", "RPS ratio to lib", "client CPU µs", "server CPU µs", "p50/p99 ms per command", "note"]
    assert [column.head.replace("\n", " ") for column in block.columns if column.is_extra] == [
        "bottleneck",
        "commands per read",
        "connections",
        "RPS min..max",
        "client CPU ratio to lib",
        "server CPU ratio to lib",
        "CPU % client/server",
        "p99.9/max ms",
    ]


def test_figures_of_another_decoding_are_marked_and_the_note_says_which() -> None:
    """Text and bytes are different work; both a table and its notes say so, once."""
    run = make_run(
        make_record(),
        make_record(make_trial(client=make_client("texts")), results=[make_result(decodes_to="text")]),
        make_record(make_trial(client=make_client("texts[x=y]")), results=[make_result(decodes_to="text")]),
    )
    (table,) = make_report(run, SHIPPED.scenarios).tables
    found = values(table, "RPS")
    assert {client: value.endswith(" †") for client, value in found.items()} == {
        "lib": False,
        "texts": True,
        "texts[x=y]": True,
    }
    (note,) = [note for note in table.notes if note.startswith("†")]
    assert (
        note
        == "† lib decodes replies to bytes, texts to text, texts[x=y] to text: this accounts for part of the difference"
    )


def test_ratios_stand_beside_the_figures(report: Report) -> None:
    """The baseline is 1; one round has no interval, and a client that was not measured has no ratio."""
    ratios = values(table_of(report, Scenario.SYNC), "RPS ratio to lib")
    assert list(ratios.values()) == ["1", "0.45 (no interval)", "", ""]


def test_a_ratio_without_a_difference_is_marked() -> None:
    """`=` stands by the ratio, and by a cost that no difference from the baseline's is shown of."""
    run = make_run(*laps("one", 2000), *laps("two", 2000), *laps("slow", 1000))
    (table,) = make_report(run, SHIPPED.scenarios).tables
    ratios = values(table, "RPS ratio to one")
    assert ratios["one"] == "1"
    assert ratios["two"].endswith(") =")
    assert ratios["slow"].startswith("0.50 (0.")
    assert not ratios["slow"].endswith("=")
    assert values(table, "client CPU µs")["two"].endswith(" =")
    assert not values(table, "client CPU µs")["slow"].endswith("=")


def test_each_ratio_names_its_baseline_where_there_are_several() -> None:
    """A suite that puts each library into a block of its own compares within libraries, and no ratio claims more."""
    rates = {
        "lib": (1_000, "first"),
        "lib[a=1]": (500, "first"),
        "other": (800, "second"),
        "other[a=1]": (200, "second"),
    }
    records = [
        make_record(Trial(Cell(make_client(name), Scenario.SYNC, Shape(), None, block), 1), rate)
        for name, (rate, block) in rates.items()
    ]
    table = table_of(make_report(make_run(*records), SHIPPED.scenarios), Scenario.SYNC)
    assert values(table, "RPS ratio to the baseline") == {
        "lib": "1",
        "lib[a=1]": "0.50 (no interval) to lib",
        "other": "1",
        "other[a=1]": "0.25 (no interval) to other",
    }


def test_figures_have_their_units(report: Report) -> None:
    """The first client's row of `sync`, worked out by hand."""
    table = table_of(report, Scenario.SYNC)
    assert values(table, "RPS min..max")["lib"] == "20,000..22,000"
    assert values(table, "client CPU µs")["lib"] == "23.4"
    assert values(table, "server CPU µs")["lib"] == "9.37"
    assert values(table, "CPU % client/server")["lib"] == "50/20"
    assert values(table, "p50/p99 ms per command")["lib"] == "1.00/1.00"
    assert values(table, "p99.9/max ms")["lib"] == "1.00/2.00"
    assert values(table, "commands per read")["lib"] == "1.0"
    assert values(table, "bottleneck")["lib"] == "round trip"


def test_connections_that_were_opened_in_slices_are_told(report: Report) -> None:
    """Open at its begin, and new in it."""
    assert values(table_of(report, Scenario.PIPELINING), "connections")["lib"] == "100, 3 new"
    assert values(table_of(report, Scenario.SYNC), "connections")["lib"] == "1"


def test_what_a_sample_covers_is_in_the_columns_head(report: Report) -> None:
    """The latency of a burst is not mistaken for that of a command."""
    assert "p50/p99 ms per burst" in heads(table_of(report, Scenario.PIPELINING).blocks[0])
    assert "p50/p99 ms per batch" in heads(table_of(report, Scenario.BATCHING).blocks[0])


def test_shapes_are_blocks_in_order(report: Report) -> None:
    """A client without a cell in a shape has no row there."""
    table = table_of(report, Scenario.BATCHING)
    assert [block.label for block in table.blocks] == ["depth 100", "depth 2", "depth 2, 2 processes"]
    assert values(table, "RPS", 1) == {"lib": "3,000"}
    assert values(table, "RPS", 2) == {"lib[parser=slow]": "3,000"}


def test_a_column_that_says_nothing_is_left_out(report: Report) -> None:
    """An old server tells nothing of its reads: the column would be empty."""
    assert "commands per read" not in heads(table_of(report, Scenario.BATCHING).blocks[1])


def test_notes_are_numbered_and_rows_have_their_numbers(report: Report) -> None:
    """Whoever reads a row finds what is to be said of it."""
    table = table_of(report, Scenario.SYNC)
    assert values(table, "note") == {"lib": "", "lib[parser=slow]": "1", "other": "2", "gone": ""}
    assert table.notes[0].startswith("(1) lib[parser=slow]: 1 of 2 rounds failed: claimed 9,000 calls")
    assert table.notes[1].startswith("(2) other: failed: the runner ended")


def test_missing_clients_are_told_once(report: Report) -> None:
    """However many scenarios they miss."""
    assert report.missing == ("gone is missing: npm: not found; install Node.js",)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (Sort.RPS, ["quick", "busy", "lazy"]),
        (Sort.CLIENT_CPU, ["quick", "busy", "lazy"]),
        (Sort.SUITE, ["lazy", "quick", "busy"]),
    ],
)
def test_rows_are_sorted(sort: Sort, order: list[str]) -> None:
    """By what was asked for; throughput is the usual."""
    run = make_run(*laps("lazy", 1000), *laps("quick", 3000), *laps("busy", 2000))
    assert subjects(make_report(run, SHIPPED.scenarios, sort=sort)) == order


def test_cells_are_placed_by_shape_and_client_not_by_position(run: Run) -> None:
    """The order of the files does not move a figure into another row."""
    backwards = Run(run.folder, run.manifest, tuple(reversed(run.records)))
    tables = [make_report(made, SHIPPED.scenarios).tables for made in (run, backwards)]
    assert [table.blocks[0].rows for table in tables[0]] == [table.blocks[0].rows for table in tables[1]]


def test_shapes_that_differ_in_processes_only_are_two_blocks() -> None:
    """Two processes are not merged with one."""
    trials = [make_trial(shape=Shape(processes=number), client=make_client()) for number in (1, 2)]
    (table,) = make_report(make_run(*map(make_record, trials)), SHIPPED.scenarios).tables
    assert [block.label for block in table.blocks] == ["", "2 processes"]
