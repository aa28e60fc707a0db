"""The tables of a run."""

from dataclasses import replace

import pytest

from respmark.report.scenarios import Sort
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record
from tests.report.reading import notes, reported, tables, values


def test_a_ratio_without_a_difference_is_marked() -> None:
    """`=` stands by the ratio, and by a cost that no difference from the baseline's is shown of; one round has none."""
    (table,) = tables(reported(*laps("one", 2000), *laps("two", 2000), *laps("slow", 1000)))["sync"]
    ratios, costs = values(table, "RPS ratio to one"), values(table, "client CPU µs")
    assert ratios["one"] == "1"
    assert ratios["slow"].startswith("0.50 (0.")
    assert [ratios[name].endswith(") =") for name in ("two", "slow")] == [True, False]
    assert [costs[name].endswith(" =") for name in ("two", "slow")] == [True, False]


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
