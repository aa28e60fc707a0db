"""Two runs side by side: whether they are alike, and what changed."""

from collections.abc import Iterable
from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.figures.alike import Across, check_alike, check_common
from respmark.figures.cells import RunFigures
from respmark.figures.comparison import Change, changes, per_metric
from respmark.figures.pairing import between
from respmark.kinds.loops.record import LoopRecord
from respmark.results.manifest import Until, WorkloadDescription
from respmark.results.read import ReadRun
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.builders.records import laps, make_manifest, make_record, make_run, make_server_description


def run_of(*clients: Iterable[LoopRecord], **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    return make_run(*(record for client in clients for record in client), **changes)


def upgraded(records: Iterable[LoopRecord]) -> list[LoopRecord]:
    return [record.model_copy(update={"versions": {"lib": "2.0.0", "runtime": "4"}}) for record in records]


def changed(before: RunFigures, after: RunFigures, control: str | None = None) -> dict[str, Change]:
    return {one.new.client: one for one in changes(between(before, after, control), per_metric)}


def test_a_change_is_claimed_through_a_client_that_is_the_same() -> None:
    """Everything is a fifth slower on the second day; what was upgraded is twice as fast beside the others."""
    before = run_of(laps("same", 1000), laps("new", 1000))
    after = run_of(laps("same", 800), upgraded(laps("new", 1600)))
    found = changed(before, after)
    assert found["new"].control == "same"
    through = found["new"].ratio("rps")
    assert through.low is not None
    assert through.high is not None
    assert through.low < 2.0 < through.high
    assert through.shown
    assert found["same"].control is None
    assert found["same"].ratios == {}


def test_what_only_the_day_changed_is_no_change() -> None:
    """All are a fifth slower: that claims nothing."""
    found = changed(run_of(laps("a", 1000), laps("b", 2000)), run_of(laps("a", 800), laps("b", 1600)))
    assert found["b"].ratio("rps").value == pytest.approx(1, rel=0.01)
    assert not found["b"].ratio("rps").shown


def test_a_client_that_was_upgraded_is_no_control() -> None:
    """The first that is the same in both is; where there is none, there is no interval."""
    before = run_of(laps("a", 1000), laps("b", 2000))
    assert changed(before, run_of(upgraded(laps("a", 1000)), laps("b", 2000)))["a"].control == "b"
    nobody = changed(before, run_of(upgraded(laps("a", 1000)), upgraded(laps("b", 2000))))
    assert [one.ratios for one in nobody.values()] == [{}, {}]


def test_all_changes_of_a_metric_between_two_runs_are_one_family() -> None:
    """What one client shows alone, it does not show beside two that did not change, whatever their blocks."""
    before, after = (run_of(laps("same", 1000), laps("new", rate)) for rate in (1000, 1009))
    assert changed(before, after)["new"].ratio("rps").shown
    others = [one for name in ("same", "b", "c") for one in laps(name, 1000, depth=10)]
    before, after = (run_of(laps("same", 1000), laps("new", rate), others) for rate in (1000, 1009))
    assert not changed(before, after)["new"].ratio("rps").shown


def test_a_run_that_was_looked_at_needs_more_to_show_a_change() -> None:
    """As in its own tables: two looks have intervals of 97.5 %, whichever of the two runs was looked at."""
    after = laps("same", 1000), laps("new", 1010)
    once = changed(run_of(laps("same", 1000), laps("new", 1000)), run_of(*after))["new"].ratio("rps")
    until = Until(half_width=0.01, budget_s=1.0, looks=2)
    for first, second in (None, until), (until, None):
        before = run_of(laps("same", 1000), laps("new", 1000), until=first)
        twice = changed(before, run_of(*after, until=second))["new"].ratio("rps")
        assert (twice.value, twice.p_value) == (once.value, once.p_value)
        assert twice.half_width is not None
        assert once.half_width is not None
        assert twice.half_width > 1.1 * once.half_width


SPEC = tiny_spec().model_dump(mode="json")
LARGER = SPEC | {"preload_keys": 9}


def asked(spec: dict[str, Any], sha256: str = "00") -> dict[str, WorkloadDescription]:
    return {"tiny": WorkloadDescription(spec=spec, sha256=sha256)}


def server(**changes: object) -> dict[str, Any]:
    return {"servers": {"spawned": make_server_description(**changes)}}


OTHER_COMMANDS = asked(SPEC, "11")


def differences(other: ReadRun, *allowed: Across) -> list[str]:
    return check_alike([make_run(make_record(), run_id="a", workloads=asked(SPEC)), other], allowed)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"rounds": 9, "machine": make_manifest().machine.model_copy(update={"cpus": 64})}, []),
        (
            {"workloads": asked(SPEC, "11"), "seed": 2},
            ["seed: 1 and 2, so they sent different commands of the same workload"],
        ),
        ({"suite": {"name": "full"}}, ["suite: tiny (10 laps of 0.1 s slices) and full (10 laps of 0.1 s slices)"]),
        (
            server(version="valkey 8.1.0"),
            ["server: redis 7.0.15, started for the run and valkey 8.1.0, started for the run"],
        ),
        (
            server(spawned=False),
            ["server: redis 7.0.15, started for the run and redis 7.0.15, 127.0.0.1:6379"],
        ),
    ],
)
def test_differences_other_than_the_workload_are_listed(changes: dict[str, Any], found: list[str]) -> None:
    """Another server, length or seed is no reason to refuse; the free port of a server that was started may differ."""
    other = make_run(make_record(), run_id="b", **{"workloads": asked(SPEC)} | changes)
    assert differences(other) == [f"a and b differ in {x}" for x in found]


def test_another_workload_is_refused_by_name() -> None:
    other = make_run(make_record(), run_id="b", workloads=asked(LARGER, "11"))
    with pytest.raises(InvalidRequestError, match=r"a and b have different workloads.*preload_keys"):
        differences(other)
    assert differences(other, Across.WORKLOAD) == ["a and b differ in workload: tiny and tiny differ in preload_keys"]
    assert check_alike([other], []) == []


def test_runs_without_a_common_cell_are_refused() -> None:
    one, other = (make_run(make_record(make_trial(client=make_client(name))), run_id=name) for name in ("a", "b"))
    with pytest.raises(InvalidRequestError, match=r"a \(suite tiny\) and b \(suite tiny\) have no client in"):
        check_common([one], [other])
    check_common([one], [one])
