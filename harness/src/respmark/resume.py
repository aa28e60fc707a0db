"""Continues an earlier run: what must be the same, and what its manifest says afterwards."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.plan.trial import Plan
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.store import read_manifest, read_records
from respmark.run.done import Done
from respmark.specs.catalogue import dump


def earlier_run(folder: Path, plan: Plan) -> Manifest:
    """Return the manifest of the run that is to be continued.

    Raises:
        InvalidRequestError: it cannot be read, is complete, was measured with --until, or is not a run of this plan.
    """
    manifest = read_manifest(folder)
    if manifest.status is RunStatus.COMPLETE:
        message = f"{folder} is complete: nothing is left to be measured"
        raise InvalidRequestError(message)
    if manifest.until is not None:
        message = f"{folder} was measured with --until, whose looks and budget cannot be taken up again"
        raise InvalidRequestError(message)
    if different := ", ".join(_different_plan(plan, manifest)):
        message = (
            f"{folder} is a run of another plan ({different}); it was: {' '.join(manifest.command_line)}; "
            f"give the same words, and --resume {folder}"
        )
        raise InvalidRequestError(message)
    return manifest


def done(folder: Path) -> Done:
    """Return what the run has measured."""
    return Done(read_records(folder))


def _different_plan(plan: Plan, manifest: Manifest) -> Iterator[str]:
    settings = plan.settings
    ours = {
        "suite": settings.suite,
        "rounds": settings.rounds,
        "laps": settings.laps,
        "minutes": settings.minutes,
        "slice_s": settings.slice_s,
        "lead_in_s": settings.lead_in_s,
        "warmup_limit_s": settings.warmup_limit_s,
        "seed": settings.seed,
        "workload": dump(settings.workload),
        "other workloads": {spec.name: dump(spec) for spec in settings.other_workloads},
        "cells": [(cell.id, cell.block, cell.client) for cell in plan.cells],
    }
    theirs = {
        "suite": manifest.suite.get("name"),
        "workload": manifest.workload,
        "other workloads": {name: one.spec for name, one in manifest.other_workloads.items()},
        "cells": [(cell.cell_id, cell.block, cell.client) for cell in manifest.cells],
    }
    for name, value in ours.items():
        before = theirs.get(name, getattr(manifest, name, None))
        if value != before:
            yield name if isinstance(value, (dict, list)) else f"{name} {value}, there {before}"


def continued(now: Manifest, before: Manifest) -> Manifest:
    """Return the manifest of a run that is continued.

    Raises:
        InvalidRequestError: rounds measured here would not be comparable with those that are there.
    """
    if different := "; ".join(_different_place(now, before)):
        message = f"the run cannot go on here: {different}. Its rounds would not be comparable; begin a new one"
        raise InvalidRequestError(message)
    told = {
        "status": RunStatus.RUNNING,
        "ended_at": None,
        "resumed_at": [*before.resumed_at, datetime.now(UTC)],
        "warnings": list(dict.fromkeys([*before.warnings, *now.warnings])),
    }
    return before.model_copy(update=told)


def _different_place(now: Manifest, before: Manifest) -> Iterator[str]:
    pairs = {
        "respmark": (now.respmark_version, before.respmark_version),
        "processor": (now.machine.cpu_model, before.machine.cpu_model),
        "number of processors": (now.machine.cpus, before.machine.cpus),
        "target": (now.target.name, before.target.name),
        "server": (now.target.version, before.target.version),
        "CPUs of target and clients": (now.placement, before.placement),
        "commands of the workload": (now.workload_sha256, before.workload_sha256),
        "commands of other workloads": (_digests(now), _digests(before)),
        "containers": (_images(now), _images(before)),
    }
    for name, (value, earlier) in pairs.items():
        if value != earlier:
            yield f"{name}: {value}, before: {earlier}"
    if not now.target.spawned and now.target.address != before.target.address:
        yield f"target: {now.target.address}, before: {before.target.address}"


def _digests(manifest: Manifest) -> dict[str, str]:
    return {name: one.sha256 for name, one in manifest.other_workloads.items()}


def _images(manifest: Manifest) -> list[str] | None:
    return None if manifest.containers is None else [image.id for image in manifest.containers.images]
