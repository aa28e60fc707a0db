"""Runs that are alike, and those that are not."""

from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.placement import Placement
from respmark.results.store import Run
from respmark.statistics.cells import counted
from respmark.statistics.likeness import Difference, check_alike, differences, same_work
from tests.builders.plan import make_trial, tiny_spec
from tests.builders.records import (
    make_evidence,
    make_manifest,
    make_record,
    make_run,
    make_slice_record,
    make_workload_description,
)

TARGET = make_manifest().target


def differing(other: Run) -> list[Difference]:
    """Return in what a run differs from the usual one."""
    return [difference for difference, _ in differences(counted(make_run(make_record())), counted(other))]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"run_id": "other", "rounds": 9, "machine": make_manifest().machine.model_copy(update={"cpus": 64})}, []),
        ({"workload_sha256": "11"}, [Difference.WORKLOAD]),
        ({"suite": {"name": "full"}}, [Difference.SUITE]),
        ({"laps": 99}, [Difference.SUITE]),
        ({"target": TARGET.model_copy(update={"version": "valkey 8.1.0"})}, [Difference.TARGET]),
        ({"target": TARGET.model_copy(update={"spawned": False})}, [Difference.TARGET]),
        ({"target": TARGET.model_copy(update={"address": "127.0.0.1:1"})}, []),
        ({"placement": Placement(target="0", clients="1")}, [Difference.PLACE]),
    ],
)
def test_differences_are_found(changes: dict[str, Any], found: list[Difference]) -> None:
    """What was measured, how, and against what; the machine and a free port may be others."""
    assert differing(make_run(make_record(), **changes)) == found


def test_other_workloads_are_compared_where_both_have_them() -> None:
    """What one run alone has is in no cell of the other."""
    mget = make_record(make_trial(workload="mget"))
    (one, other) = (
        make_run(make_record(), mget, other_workloads={"mget": make_workload_description("mget", sha256)})
        for sha256 in ("00", "11")
    )
    assert list(differences(counted(one), counted(one))) == []
    assert list(differences(counted(one), counted(other))) == [
        (Difference.WORKLOAD, "mget (seed 1, 00) and mget (seed 1, 11)")
    ]
    assert differing(other) == []


def test_hit_ratios_are_compared() -> None:
    """Of cells that both runs have: another share of hits is other work for server and client."""
    missing = make_slice_record(evidence=make_evidence(keyspace_hits=0, keyspace_misses=800))
    assert differing(make_run(make_record(slices=[missing]))) == [Difference.HIT_RATIO]


def test_unlike_runs_are_refused_by_name() -> None:
    """With what differs, and the option that allows it; allowed, it is told."""
    both = make_run(make_record(), run_id="a"), make_run(make_record(), run_id="b", workload_sha256="11")
    runs = [counted(run) for run in both]
    with pytest.raises(InvalidRequestError, match=r"a and b are not alike: workload: .*--across workload"):
        check_alike(runs, [Difference.TARGET])
    (told,) = check_alike(runs, [Difference.WORKLOAD])
    assert told.startswith("a and b differ in workload: tiny (seed 1, 00) and tiny")
    assert check_alike(runs[:1], []) == []


def test_the_same_work_may_have_another_name() -> None:
    """Commands, keys and values count."""
    spec = tiny_spec().model_dump(mode="json")
    assert same_work(spec, spec | {"name": "other", "summary": "x"})
    assert not same_work(spec, spec | {"preload_keys": 9})
