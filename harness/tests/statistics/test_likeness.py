"""Runs that are alike, and those that are not."""

from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.results.store import Run
from respmark.statistics.between import Difference, check_alike, check_common
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.builders.records import make_manifest, make_record, make_run

TARGET = make_manifest().target
SPEC = tiny_spec().model_dump(mode="json")
LARGER = SPEC | {"preload_keys": 9}


def told(other: Run, *allowed: Difference) -> list[str]:
    return check_alike([make_run(make_record(), run_id="a", workload=SPEC), other], allowed)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"rounds": 9, "machine": make_manifest().machine.model_copy(update={"cpus": 64})}, []),
        ({"workload_sha256": "11", "seed": 2}, ["seed: 1 and 2, so the commands are others of the same workload"]),
        ({"suite": {"name": "full"}}, ["suite: tiny (10 laps of 0.1 s slices) and full (10 laps of 0.1 s slices)"]),
        (
            {"target": TARGET.model_copy(update={"version": "valkey 8.1.0"})},
            ["target: redis 7.0.15, started for the run and valkey 8.1.0, started for the run"],
        ),
        (
            {"target": TARGET.model_copy(update={"spawned": False})},
            ["target: redis 7.0.15, started for the run and redis 7.0.15, 127.0.0.1:6379"],
        ),
    ],
)
def test_what_runs_are_compared_for_is_told(changes: dict[str, Any], found: list[str]) -> None:
    """Another server, length or seed is no reason to refuse; machines stand elsewhere, and a free port may differ."""
    assert told(make_run(make_record(), run_id="b", workload=SPEC, **changes)) == [
        f"a and b differ in {x}" for x in found
    ]


def test_another_workload_is_refused_by_name() -> None:
    """With what differs, and the option that allows it; allowed, it is told."""
    other = make_run(make_record(), run_id="b", workload=LARGER, workload_sha256="11")
    with pytest.raises(
        InvalidRequestError, match=r"a and b are not alike: workload: .*preload_keys.*--across workload"
    ):
        told(other)
    assert told(other, Difference.WORKLOAD) == ["a and b differ in workload: tiny and tiny differ in preload_keys"]
    assert check_alike([other], []) == []


def test_runs_without_a_common_cell_are_refused() -> None:
    """With what to do."""
    one, other = (make_run(make_record(make_trial(client=make_client(name))), run_id=name) for name in ("a", "b"))
    with pytest.raises(InvalidRequestError, match=r"a \(suite tiny\) and b \(suite tiny\) have nothing in common"):
        check_common(one, other)
    check_common(one, one)
