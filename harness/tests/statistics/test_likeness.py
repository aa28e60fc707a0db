"""Runs that are alike, and those that are not."""

from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.placement import Placement
from respmark.results.manifest import WorkloadDescription
from respmark.results.store import Run
from respmark.statistics.likeness import Difference, check_alike, check_common, same_work
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.builders.records import make_manifest, make_record, make_run

TARGET = make_manifest().target
SPEC = tiny_spec().model_dump(mode="json")
LARGER = SPEC | {"preload_keys": 9}


def told(other: Run, *allowed: Difference) -> list[str]:
    """Return in what a run differs from the usual one, in words."""
    return check_alike([make_run(make_record(), run_id="a", workload=SPEC), other], allowed)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"rounds": 9, "machine": make_manifest().machine.model_copy(update={"cpus": 64})}, []),
        ({"workload_sha256": "11", "seed": 2}, ["seed: 1 and 2, so the commands are others of the same workload"]),
        ({"suite": {"name": "full"}}, ["suite: tiny (10 laps of 0.1 s slices) and full (10 laps of 0.1 s slices)"]),
        ({"laps": 99}, ["suite: tiny (10 laps of 0.1 s slices) and tiny (99 laps of 0.1 s slices)"]),
        (
            {"target": TARGET.model_copy(update={"version": "valkey 8.1.0"})},
            ["target: redis 7.0.15, started for the run and valkey 8.1.0, started for the run"],
        ),
        (
            {"target": TARGET.model_copy(update={"spawned": False})},
            ["target: redis 7.0.15, started for the run and redis 7.0.15, 127.0.0.1:6379"],
        ),
        ({"target": TARGET.model_copy(update={"address": "127.0.0.1:1"})}, []),
    ],
)
def test_what_runs_are_compared_for_is_told(changes: dict[str, Any], found: list[str]) -> None:
    """Another server, length or seed is no reason to refuse; machines stand elsewhere, and a free port may differ."""
    assert told(make_run(make_record(), run_id="b", workload=SPEC, **changes)) == [
        f"a and b differ in {x}" for x in found
    ]


def test_another_place_is_told() -> None:
    """Which CPUs target and clients had."""
    (words,) = told(make_run(make_record(), run_id="b", workload=SPEC, placement=Placement(target="0", clients="1")))
    assert words.startswith("a and b differ in place: processes, CPUs ")


def test_another_workload_is_refused_by_name() -> None:
    """With what differs, and the option that allows it; allowed, it is told."""
    other = make_run(make_record(), run_id="b", workload=LARGER, workload_sha256="11")
    with pytest.raises(
        InvalidRequestError, match=r"a and b are not alike: workload: .*preload_keys.*--across workload"
    ):
        told(other)
    assert told(other, Difference.WORKLOAD) == ["a and b differ in workload: tiny and tiny differ in preload_keys"]
    assert check_alike([other], []) == []


def test_other_workloads_are_compared_where_both_have_them() -> None:
    """What one run alone has is in no cell of the other."""
    mget = make_record(make_trial(workload="mget"))
    one, other = (
        make_run(
            make_record(),
            mget,
            run_id=name,
            workload=SPEC,
            other_workloads={"mget": WorkloadDescription(spec=spec | {"name": "mget"}, sha256=name)},
        )
        for name, spec in (("a", SPEC), ("b", LARGER))
    )
    assert check_alike([one, one], []) == []
    with pytest.raises(InvalidRequestError, match="mget and mget differ in preload_keys"):
        check_alike([one, other], [])
    assert told(other) == []


def test_runs_without_a_common_cell_are_refused() -> None:
    """With what to do."""
    one, other = (make_run(make_record(make_trial(client=make_client(name))), run_id=name) for name in ("a", "b"))
    with pytest.raises(InvalidRequestError, match=r"a \(suite tiny\) and b \(suite tiny\) have nothing in common"):
        check_common(one, other)
    check_common(one, one)


def test_the_same_work_may_have_another_name() -> None:
    """Commands, keys and values count."""
    assert same_work(SPEC, SPEC | {"name": "other", "summary": "x"})
    assert not same_work(SPEC, LARGER)
