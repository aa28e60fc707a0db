"""Two runs side by side."""

from collections.abc import Iterable
from typing import Any

import pytest

from respmark.results.records import TrialRecord
from respmark.statistics.between import Change, changes_between
from respmark.statistics.cells import CountedRun
from tests.builders.records import laps, make_run


def run_of(*clients: Iterable[TrialRecord], **changes: Any) -> CountedRun:  # noqa: ANN401 - a manifest's fields
    return make_run(*(record for client in clients for record in client), **changes)


def upgraded(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    return [record.model_copy(update={"versions": {"lib": "2.0.0", "runtime": "4"}}) for record in records]


def changes(before: CountedRun, after: CountedRun, control: str | None = None) -> dict[str, Change]:
    return {one.client: one for one in changes_between(before, after, control).changes}


def test_a_change_is_claimed_through_a_client_that_is_the_same() -> None:
    """Everything is a fifth slower on the second day; what was upgraded is twice as fast beside the others."""
    before = run_of(laps("same", 1000), laps("new", 1000))
    after = run_of(laps("same", 800), upgraded(laps("new", 1600)))
    found = changes(before, after)
    assert found["new"].ratios["rps"] == pytest.approx(1.6, rel=0.01)
    assert found["new"].control == "same"
    through = found["new"].through_control["rps"]
    assert through.low is not None
    assert through.high is not None
    assert through.low < 2.0 < through.high
    assert through.shown
    assert found["same"].control is None
    assert found["same"].through_control == {}


def test_what_only_the_day_changed_is_no_change() -> None:
    """All are a fifth slower: the raw ratio says so and claims nothing."""
    found = changes(run_of(laps("a", 1000), laps("b", 2000)), run_of(laps("a", 800), laps("b", 1600)))
    assert found["b"].ratios["rps"] == pytest.approx(0.8, rel=0.01)
    assert not found["b"].through_control["rps"].shown


def test_a_client_that_was_upgraded_is_no_control() -> None:
    """The first that is the same in both is; where there is none, there is no interval."""
    before = run_of(laps("a", 1000), laps("b", 2000))
    assert changes(before, run_of(upgraded(laps("a", 1000)), laps("b", 2000)))["a"].control == "b"
    nobody = changes(before, run_of(upgraded(laps("a", 1000)), upgraded(laps("b", 2000))))
    assert [one.through_control for one in nobody.values()] == [{}, {}]
    assert nobody["a"].ratios["rps"] == pytest.approx(1.0, rel=0.01)
