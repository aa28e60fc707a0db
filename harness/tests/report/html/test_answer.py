"""The answer's sentences."""

import pytest

from respmark.report.html.answer import RowAnswer, answers, interval, lead_counts
from respmark.report.html.view import MatrixCell, View, make_view
from respmark.statistics.blocks import ShownRatio
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_run


def of_row(view: View, label: str) -> RowAnswer:
    """Return the answer of a row by its name."""
    return next(one for one in answers(view) if one.row.label == label)


def names(*places: MatrixCell | None) -> list[str]:
    """Return the clients of places."""
    return [place.column.name for place in places if place is not None]


def test_a_tie_is_called_one(view: View) -> None:
    """One percent is not shown in this noise; the next is shown to be slower."""
    found = of_row(view, "sync").fastest
    assert set(names(found.leader, *found.level)) == {"jedis", "lettuce"}
    assert names(found.next) == ["phpredis"]
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.5, rel=0.05)
    assert found.is_known


def test_clients_that_took_no_turns_with_each_other_have_an_answer_each() -> None:
    """A suite that compares each library with itself: no figure of one block stands beside one of another."""
    blocks = [
        one.model_copy(update={"block": block})
        for block, names in (("a-sync", ("a", "a[x=1]")), ("b-sync", ("b", "b[x=1]")))
        for name, operations in zip(names, (2000, 1000), strict=True)
        for one in laps(name, operations)
    ]
    one, other = answers(make_view(make_run(*blocks), SHIPPED.scenarios))
    assert [names(each.fastest.leader, each.fastest.next) for each in (one, other)] == [
        ["a", "a[x=1]"],
        ["b", "b[x=1]"],
    ]


def test_the_cheapest_has_the_least_cpu(view: View) -> None:
    """All clients use the same CPU in a second here: who is fastest is cheapest, and the next needs more."""
    found = of_row(view, "batching, depth 100").cheapest
    assert names(found.leader)[0] in {"jedis", "lettuce"}
    assert found.ratio is not None
    assert found.ratio.value > 1


def test_a_client_alone_has_nobody_to_be_compared_with(view: View) -> None:
    """That is no lead."""
    found = of_row(view, "transaction, depth 100, batched").fastest
    assert (names(found.leader), found.level, found.next, found.is_known) == (["phpredis"], (), None, False)


def test_leads_count_only_what_was_compared(view: View) -> None:
    """Ties count for both; the transaction of one client for nobody."""
    found = {
        tally.column.name: (tally.first, tally.of) for tally in lead_counts(answers(view), lambda one: one.fastest)
    }
    assert found["phpredis"] == (0, 3)
    assert found["jedis"][0] + found["lettuce"][0] >= 7
    assert found["redis-py"] == (0, 3)


def test_one_round_claims_nothing() -> None:
    """It has figures, and no interval."""
    records = [make_record(make_trial(client=make_client(name)), rate) for name, rate in (("a", 1000), ("b", 9000))]
    (answer,) = answers(make_view(make_run(*records), SHIPPED.scenarios))
    assert names(answer.fastest.leader) == ["b"]
    assert (answer.fastest.level, answer.fastest.next, answer.fastest.is_known) == ((), None, False)


def test_ratios_are_written_with_their_intervals() -> None:
    """Where there is none, without."""
    assert interval(ShownRatio(value=0.5, low=0.4, high=0.6, shown=True)) == "0.50 times (0.40 to 0.60)"
    assert interval(ShownRatio(value=0.5, low=None, high=None, shown=False)) == "0.50 times"
    assert interval(None) == ""


def test_the_fastest_are_those_of_the_summary(view: View) -> None:
    """Page and terminal name the same clients."""
    for one in answers(view):
        named = {place.column.name for place in (one.fastest.leader, *one.fastest.level)}
        standings = {place.column.name: place.cell.standing for place in one.places}
        assert named == {name for name, standing in standings.items() if standing and standing.is_fastest}
