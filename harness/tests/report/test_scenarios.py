"""The tables of a run."""

from dataclasses import replace

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Trial
from respmark.report.report import Report, make_report
from respmark.report.scenarios import Sort
from respmark.results.records import Status
from respmark.specs.scenario import ScenarioSpec
from respmark.statistics.cells import CountedRun
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record
from tests.report.reading import notes, reported, tables, values


def test_a_scenario_is_what_it_was_when_it_was_measured() -> None:
    """The manifest says so; what it does not say is as shipped."""
    specs = {Scenario.SYNC: ScenarioSpec(summary="as it was", wire="one by one")}
    report = reported(make_record(), scenarios=specs)
    assert report.specs[Scenario.SYNC].summary == "as it was"
    assert report.specs[Scenario.BATCHING] == SHIPPED.scenarios[Scenario.BATCHING]


def test_a_ratio_without_a_difference_is_marked() -> None:
    """`=` stands by the ratio, and by a cost that no difference from the baseline's is shown of; one round has none."""
    (table,) = tables(reported(*laps("one", 2000), *laps("two", 2000), *laps("slow", 1000)))["sync"]
    ratios, costs = values(table, "RPS ratio to one"), values(table, "client CPU µs")
    assert ratios["one"] == "1"
    assert ratios["slow"].startswith("0.50 (0.")
    assert [ratios[name].endswith(") =") for name in ("two", "slow")] == [True, False]
    assert [costs[name].endswith(" =") for name in ("two", "slow")] == [True, False]


def test_each_ratio_names_its_baseline_where_there_are_several() -> None:
    """A suite that puts each library into a block of its own compares within libraries, and no ratio claims more."""
    rates = {"lib": (1_000, "b1"), "lib[a=1]": (500, "b1"), "other": (800, "b2"), "other[a=1]": (200, "b2")}
    records = [
        make_record(Trial(Cell(make_client(name), Scenario.SYNC, Shape(), None, block), 1), rate)
        for name, (rate, block) in rates.items()
    ]
    assert values(tables(reported(*records))["sync"][0], "RPS ratio to the baseline") == {
        "lib": "1",
        "lib[a=1]": "0.50 (no interval) to lib",
        "other": "1",
        "other[a=1]": "0.25 (no interval) to other",
    }


def test_replies_that_are_decoded_to_another_type_are_marked() -> None:
    """By each figure, and with one note."""
    report = reported(
        make_record(make_trial(client=make_client("lib"))),
        make_record(make_trial(client=make_client("texts")), decodes_to="text"),
    )
    found = values(tables(report)["sync"][0], "RPS")
    assert {client: value.endswith(" †") for client, value in found.items()} == {"lib": False, "texts": True}
    told = "† lib decodes replies to bytes, texts to text: this accounts for part of the difference"
    assert told in notes(report)["sync"]


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
    report = reported(*laps("lazy", 1000), *laps("quick", 3000), *laps("busy", 2000))
    (table,) = tables(replace(report, sort=sort))["sync"]
    assert [row[0].text for row in table.rows] == order


def test_cells_are_placed_by_shape_and_client_not_by_position(run: CountedRun) -> None:
    """The order of the files does not move a figure into another row."""
    backwards = replace(run, trials=run.trials[::-1], slices=run.slices.reverse())
    one, other = (tables(make_report(made, SHIPPED.scenarios)) for made in (run, backwards))
    assert one == other


def test_a_status_is_a_kind_of_cell(report: Report) -> None:
    """Writers show what it is without reading its text."""
    kinds = {row[1].kind for found in tables(report).values() for table in found for row in table.rows}
    assert kinds == {"partial", *(status.replace(" ", "-") for status in Status)}
