"""Going on with a run: only with its own plan, on its own machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.plan.plan import Trial
from respmark.results.manifest import Manifest, RoundTripDescription, RunStatus, Until, WorkloadDescription
from respmark.results.store import RunFolder
from respmark.run.resume import continued, earlier_run, relays_in_all
from respmark.specs.catalogue import dump
from tests.builders.plan import planned
from tests.builders.records import (
    make_manifest,
    make_record,
    make_server_description,
    make_workload_description,
    planned_cell,
)

PLAN = planned("smoke", scenarios=("sync",), clients=("redis-py",))
PRECISE = Until(half_width=0.02, budget_s=60, looks=1)


def begun(folder: Path, **changes: object) -> Path:
    plan, settings = PLAN, PLAN.settings
    cells = [planned_cell(make_record(Trial(cell, 1))) for cell in plan.cells]
    fields: dict[str, object] = {
        "status": RunStatus.INTERRUPTED,
        "suite": dump(plan.suite),
        "workloads": {
            name: WorkloadDescription(spec=dump(spec), sha256="00") for name, spec in settings.workloads.items()
        },
        "cells": cells,
        "rounds": settings.rounds,
        "laps": settings.laps,
        "slice_s": settings.slice_s,
        "lead_in_s": settings.lead_in_s,
        "warmup_limit_s": settings.warmup_limit_s,
        "seed": settings.seed,
        "command_line": ["respmark", "run", "smoke"],
    }
    made = RunFolder.create(folder)
    made.write_manifest(make_manifest(**fields | changes))
    return folder


def test_a_run_of_the_same_plan_goes_on(tmp_path: Path) -> None:
    """Whether the user, an error or the machine cut it short."""
    for status in (RunStatus.INTERRUPTED, RunStatus.STOPPED, RunStatus.RUNNING):
        folder = begun(tmp_path / status, status=status)
        assert earlier_run(folder, PLAN).status is status


@pytest.mark.parametrize(
    ("minutes", "rounds", "before"),
    [
        (None, 3, {"rounds": 2}),
        (2, 3, {"rounds": 2, "time_limit_s": 60.0}),
        (2, 3, {"rounds": 3, "time_limit_s": 60.0}),
        (None, 3, {"rounds": 2, "time_limit_s": 60.0}),
        (2, 3, {"rounds": 3, "wall_s": 90.0}),
    ],
)
def test_a_complete_run_may_be_given_more(
    tmp_path: Path, minutes: float | None, rounds: int, before: dict[str, object]
) -> None:
    """Minutes or rounds; its manifest then says so."""
    plan = replace(PLAN, settings=replace(PLAN.settings, minutes=minutes, rounds=rounds))
    manifest = earlier_run(begun(tmp_path / "run", status=RunStatus.COMPLETE, **before), plan)
    now = make_manifest(rounds=rounds, time_limit_s=minutes and minutes * 60, trials=9, command_line=["all", "at once"])
    later = continued(now, manifest.model_copy(update={"workloads": now.workloads}))
    assert (later.rounds, later.time_limit_s, later.trials) == (rounds, now.time_limit_s, 9)
    assert (later.command_line, later.started_at) == (["all", "at once"], manifest.started_at)


@pytest.mark.parametrize(
    ("minutes", "before", "said"),
    [
        (None, {"rounds": 1}, "unless it is given more --minutes or --rounds"),
        (None, {"rounds": 1, "time_limit_s": 60.0}, "is complete"),
        (1, {"rounds": 1, "time_limit_s": 60.0}, "is complete"),
        (1, {"rounds": 1, "wall_s": 61.0}, "is complete"),
        (1, {"rounds": 1, "status": RunStatus.INTERRUPTED}, "time limit 60 s, there none"),
        (1, {"rounds": 1, "time_limit_s": 90.0, "status": RunStatus.STOPPED}, "time limit 60 s, there 90 s"),
    ],
)
def test_what_is_given_no_more_has_nothing_left(
    tmp_path: Path, minutes: float | None, before: dict[str, object], said: str
) -> None:
    """The same again, or less."""
    plan = replace(PLAN, settings=replace(PLAN.settings, minutes=minutes))
    with pytest.raises(InvalidRequestError, match=said):
        earlier_run(begun(tmp_path / "run", **{"status": RunStatus.COMPLETE, **before}), plan)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": RunStatus.COMPLETE}, "is complete: nothing is left"),
        ({"seed": 7}, r"seed 1, there 7.*it was: respmark run smoke"),
        ({"rounds": 9}, "rounds 1, there 9"),
        ({"status": RunStatus.COMPLETE, "until": PRECISE}, "is complete: nothing is left"),
        ({"suite": {"name": "other"}}, "suite smoke, there other"),
        ({"workloads": {"mget": make_workload_description("mget")}}, r"other arguments \(workloads\)"),
        ({"cells": []}, r"other arguments \(cells\)"),
    ],
)
def test_what_is_not_the_same_run_is_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    """With what differs, and how it was begun."""
    with pytest.raises(InvalidRequestError, match=said):
        earlier_run(begun(tmp_path / "run", **changes), PLAN)


def elsewhere(**changes: dict[str, object]) -> Manifest:
    manifest = make_manifest()
    parts = {name: getattr(manifest, name).model_copy(update=change) for name, change in changes.items()}
    return manifest.model_copy(update=parts)


def on_server(**changes: object) -> Manifest:
    return make_manifest(servers={"spawned": make_server_description(**changes)})


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (elsewhere(machine={"cpu_model": "another"}), "processor: another, before: A CPU"),
        (on_server(version="valkey 9"), r"servers: \['spawned valkey 9'\], before: \['spawned redis 7.0.15'\]"),
        (on_server(spawned=False, address="h:1"), r"servers: \['spawned redis 7.0.15 at h:1'\], before: "),
        (make_manifest(respmark_version="9"), "respmark: 9, before: 0.1.0"),
        (
            make_manifest(workloads={"tiny": make_workload_description("tiny", "ff")}),
            r"commands of the workloads: {'tiny': 'ff'}, before: {'tiny': '00'}",
        ),
    ],
)
def test_another_place_is_refused(now: Manifest, said: str) -> None:
    """Rounds from there would not be comparable."""
    with pytest.raises(InvalidRequestError, match=said):
        continued(now, make_manifest())


def test_what_relays_used_before_a_run_was_resumed_counts() -> None:
    """Of each round trip; while the run goes on, nothing is known yet."""
    near, far = (
        RoundTripDescription(server="spawned", asked_ms=ms, p50_ms=ms, p99_ms=ms, alone_ms=0.03, cpu_s=cpu_s)
        for ms, cpu_s in ((0.2, 592.5), (1.0, 10.0))
    )
    running = near.model_copy(update={"cpu_s": None})
    assert [one.cpu_s for one in relays_in_all([far, near], [near, running])] == [10.0, 592.5]
    assert [one.cpu_s for one in relays_in_all([far, near, running], [near, far])] == [20.0, 1185.0, None]
    assert relays_in_all([near], []) == [near]
