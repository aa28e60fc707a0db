"""Continues an earlier run: what must be the same, and what its manifest says afterwards."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.plan.plan import Plan
from respmark.results.manifest import Manifest, RoundTripDescription, RunStatus
from respmark.results.store import read_manifest
from respmark.specs.catalogue import dump

ALIKE = ("laps", "slice_s", "lead_in_s", "warmup_limit_s", "seed")
"""Settings that a manifest has under the same names."""


def earlier_run(folder: Path, plan: Plan) -> Manifest:
    """Return the manifest of the run to be continued; raises InvalidRequestError if it cannot be continued.

    One that is complete goes on with more minutes or rounds than it had.
    """
    manifest = read_manifest(folder)
    if manifest.status is RunStatus.COMPLETE and not _has_more(plan, manifest):
        wanted = "--minutes or --rounds" if manifest.time_limit_s is None else "--minutes"
        raise InvalidRequestError(
            f"{folder} is complete: nothing is left to be measured, unless it is given more {wanted}"
        )
    if different := ", ".join(_different_plan(plan, manifest)):
        raise InvalidRequestError(
            f"{folder} was planned from other arguments ({different}); it was: {' '.join(manifest.command_line)}; "
            f"give the same arguments, and --resume {folder}"
        )
    return manifest


def _limit_s(plan: Plan) -> float:
    return math.inf if plan.settings.minutes is None else plan.settings.minutes * 60


def _had_s(manifest: Manifest) -> float:
    """Return how long a run could take; of one without a limit that is complete, how long it took."""
    if manifest.time_limit_s is not None:
        return manifest.time_limit_s
    return (manifest.wall_s or 0.0) if manifest.status is RunStatus.COMPLETE else math.inf


def _has_more(plan: Plan, manifest: Manifest) -> bool:
    if manifest.until is not None:
        return False  # it went on by itself until it had its precision, or its minutes were over
    is_asked = plan.settings.rounds > manifest.rounds or plan.settings.minutes is not None
    return is_asked and _limit_s(plan) > _had_s(manifest)


def _different_plan(plan: Plan, manifest: Manifest) -> list[str]:
    settings = plan.settings
    now = {"suite": settings.suite} | {name: getattr(settings, name) for name in ALIKE}
    before = {"suite": manifest.suite.get("name")} | {name: getattr(manifest, name) for name in ALIKE}
    different = [f"{name} {value}, there {before[name]}" for name, value in now.items() if value != before[name]]
    if settings.rounds < manifest.rounds:
        different.append(f"rounds {settings.rounds}, there {manifest.rounds}")
    if (limit_s := _limit_s(plan)) < (had_s := _had_s(manifest)):
        different.append(f"time limit {limit_s:g} s, there {'none' if math.isinf(had_s) else f'{had_s:g} s'}")
    is_alike = {
        "workloads": {name: dump(spec) for name, spec in settings.workloads.items()}
        == {name: one.spec for name, one in manifest.workloads.items()},
        "cells": [(cell.id, cell.block, cell.client) for cell in plan.cells]
        == [(cell.cell_id, cell.block, cell.client) for cell in manifest.cells],
    }
    return different + [name for name, alike in is_alike.items() if not alike]


def continued(now: Manifest, before: Manifest) -> Manifest:
    """Return the manifest of a run that is continued; raises InvalidRequestError if it cannot go on in this place."""
    here, there = _place(now), _place(before)
    if different := "; ".join(
        f"{name}: {value}, before: {there[name]}" for name, value in here.items() if value != there[name]
    ):
        raise InvalidRequestError(
            f"the run cannot go on here: {different}. Its rounds would not be comparable; begin a new one"
        )
    changes = {
        "status": RunStatus.RUNNING,
        "ended_at": None,
        "resumed_at": [*before.resumed_at, datetime.now(UTC)],
        **{name: getattr(now, name) for name in ("command_line", "rounds", "time_limit_s", "trials")},
        "warnings": list(dict.fromkeys([*before.warnings, *now.warnings])),
    }
    return before.model_copy(update=changes)


def relays_in_all(
    now: Sequence[RoundTripDescription], before: Sequence[RoundTripDescription]
) -> list[RoundTripDescription]:
    """Return relays with the CPU that those of the same round trips used before the run was resumed, too."""
    used_s = {(one.server, one.asked_ms): one.cpu_s or 0.0 for one in before}
    return [
        one
        if one.cpu_s is None
        else one.model_copy(update={"cpu_s": one.cpu_s + used_s.get((one.server, one.asked_ms), 0.0)})
        for one in now
    ]


def _place(manifest: Manifest) -> dict[str, object]:
    containers = manifest.containers
    return {
        "respmark": manifest.respmark_version,
        "processor": manifest.machine.cpu_model,
        "number of processors": manifest.machine.cpus,
        "servers": [
            f"{name} {one.version}" + ("" if one.spawned else f" at {one.address}")
            for name, one in manifest.servers.items()
        ],
        "CPUs of server and clients": manifest.placement,
        "commands of the workloads": {name: one.sha256 for name, one in manifest.workloads.items()},
        "containers": None if containers is None else [image.id for image in containers.images],
    }
