"""Tables of micro-benchmarks."""

import io

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from respmark.contract.trial import Form, Scenario, Shape
from respmark.micro.model import Collections, MicroRun
from respmark.report.markdown import micro_markdown
from respmark.report.micro import duration, micro_report
from respmark.report.terminal import print_tables
from respmark.results.records import Status
from tests.builders.plan import SHIPPED
from tests.micro.builders import make_measured, make_micro_record, make_micro_run


@pytest.fixture
def run() -> MicroRun:
    """Return a run that has everything that a table may have to show."""
    batch = {"topic": "batching", "scenario": "batching", "shape": Shape(depth=100), "commands": 100}
    lettuce = {"library": "lettuce", "subject": "lettuce", "library_version": "7.7.0.RELEASE"}
    jmh = Collections(count=2, time_ms=3.5)
    net = Collections(per_1000_operations={"gen0": 0.75, "gen1": 0.0, "gen2": 0.0})
    return make_micro_run(
        make_micro_record(
            topic="encode", scenario=None, shape=None, measured=make_measured(time_ns=63.2, error_ns=2.0)
        ),
        make_micro_record(**batch, measured=make_measured(collections=jmh, error_ns=40_000.0)),
        make_micro_record(**batch, **lettuce, measured=make_measured(collections=net, allocated_bytes=None)),
        make_micro_record(**batch | {"shape": Shape(depth=10), "commands": 10}),
        make_micro_record(measured=make_measured(error_ns=None, iterations=1)),
        make_micro_record(**lettuce, status=Status.FAILED, reason="a wrong value", measured=None),
        make_micro_record(operation="SET", status=Status.UNSUPPORTED, reason="mode `ss`", measured=None),
        make_micro_record(
            **lettuce,
            topic="pool-borrow",
            scenario=None,
            shape=None,
            commands=None,
            operation="borrow, give back",
            parameters={"wrapped": "true"},
            measured=make_measured(time_ns=302.6, collections=Collections(count=0)),
        ),
    )


def printed(run: MicroRun, width: int = 100) -> str:
    """Return the report as a terminal shows it."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    report = micro_report(run, SHIPPED.scenarios)
    print_tables(console, report.header, report.tables)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminals_form(run: MicroRun, snapshot: SnapshotAssertion) -> None:
    """The tables of the run by hand are as they were."""
    assert printed(run) == snapshot


def test_the_markdown(run: MicroRun, snapshot: SnapshotAssertion) -> None:
    """As above."""
    assert micro_markdown(micro_report(run, SHIPPED.scenarios)) == snapshot


def test_scenarios_come_first_and_small_shapes_before_large(run: MicroRun) -> None:
    """In the order in which the design names them, whatever order the tool measured in."""
    report = micro_report(run, SHIPPED.scenarios)
    assert [table.scenario for table in report.tables] == ["sync", "batching", "encode", "pool-borrow"]
    assert [block.label for block in report.tables[1].blocks] == ["depth 10, GET", "depth 100, GET"]


def test_every_benchmark_has_a_figure_or_a_word(run: MicroRun) -> None:
    """No row is left out; a reason stands below."""
    sync = micro_report(run, SHIPPED.scenarios).tables[0]
    assert [[row.values[0] for row in block.rows] for block in sync.blocks] == [["68.6 µs", "failed"], ["unsupported"]]
    assert any("lettuce (GET): failed: a wrong value" in note for note in sync.notes)
    assert any("jedis (SET): unsupported: mode `ss`" in note for note in sync.notes)
    assert any("more than one iteration" in note for note in sync.notes)


def test_a_wide_error_is_told() -> None:
    """A figure whose error is most of it must not look like the others."""
    (table,) = micro_report(
        make_micro_run(make_micro_record(measured=make_measured(error_ns=1e5))), SHIPPED.scenarios
    ).tables
    assert any("more than 10 %" in note for note in table.notes)
    (table,) = micro_report(make_micro_run(make_micro_record()), SHIPPED.scenarios).tables
    assert not table.notes


def test_forms_of_a_scenario_are_told_apart() -> None:
    """A shape is written as in every other table."""
    record = make_micro_record(
        topic="transaction", scenario=Scenario.TRANSACTION, shape=Shape(depth=10, form=Form.BATCHED)
    )
    (table,) = micro_report(make_micro_run(record), SHIPPED.scenarios).tables
    assert table.blocks[0].label == "depth 10, batched, GET"


@pytest.mark.parametrize(
    ("nanoseconds", "written"),
    [
        (0.5, "0.500 ns"),
        (77.714, "77.7 ns"),
        (1000, "1.00 µs"),
        (68_577, "68.6 µs"),
        (1.2e6, "1.20 ms"),
        (2e9, "2.00 s"),
    ],
)
def test_times_have_the_unit_that_suits_them(nanoseconds: float, written: str) -> None:
    """Three digits, whatever the size."""
    assert duration(nanoseconds) == written
