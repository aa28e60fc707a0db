"""The answer's sentences."""

import pytest

from respmark.report.html.answer import answers, cheapest, fastest, interval, lead_counts
from respmark.report.html.view import MatrixCell, Row, View, make_view
from respmark.statistics.blocks import ShownRatio
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_run


def row(view: View, label: str) -> Row:
    """Return a row by its name."""
    return next(row for row in view.rows if row.label == label)


def names(*places: MatrixCell | None) -> list[str]:
    """Return the clients of places."""
    return [place.column.name for place in places if place is not None]


def test_a_tie_is_called_one(view: View) -> None:
    """One percent is not shown in this noise; the next is shown to be slower."""
    found = fastest(row(view, "sync"))
    assert set(names(found.leader, *found.level)) == {"jedis", "lettuce"}
    assert names(found.next) == ["phpredis"]
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.5, rel=0.05)
    assert found.is_known


def test_the_leader_of_a_tie_has_the_highest_figure(view: View) -> None:
    """So that no sentence puts a lower figure first."""
    found = fastest(row(view, "sync"))
    assert found.leader.rps == max(place.rps for place in (found.leader, *found.level))


def test_the_cheapest_has_the_least_cpu(view: View) -> None:
    """All clients use the same CPU in a second here: who is fastest is cheapest, and the next needs more."""
    found = cheapest(row(view, "batching, depth 100"))
    assert names(found.leader)[0] in {"jedis", "lettuce"}
    assert found.ratio is not None
    assert found.ratio.value > 1


def test_a_client_alone_has_nobody_to_be_compared_with(view: View) -> None:
    """That is no lead."""
    found = fastest(row(view, "transaction, depth 100, batched"))
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
        standings = {place.column.name: place.cell.standing for place in one.row.measured}
        assert named == {name for name, standing in standings.items() if standing and standing.is_fastest}
