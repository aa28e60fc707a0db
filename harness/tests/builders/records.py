"""Builders of what a run stores, for tests: slices, records, manifests and runs."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from respmark.contract.trial import SampleCovers, Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.figures.kind import FigureKind
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import Latency, LoopRecord, SliceRecord, WarmUp
from respmark.machine.description import Machine
from respmark.machine.placement import Placement
from respmark.plan.plan import Trial
from respmark.results.containers import Containers, Engine, Image, Limits
from respmark.results.manifest import CellDescription, Manifest, RunStatus, ServerDescription, WorkloadDescription
from respmark.results.records import FORMAT, Status, TrialRecord
from respmark.specs.scenario import commands_per_unit, sample_covers
from tests.builders.plan import make_client, make_trial

MORNING: Final = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
MILLISECOND_NS: Final = 1_000_000
SECOND_NS: Final = 1_000_000_000


def make_slice_record(operations: int = 1000, number: int = 1, **changes: Any) -> SliceRecord:  # noqa: ANN401 - its fields
    """Return a slice of `sync` that counts: 1 s of work without a lead-in, 0.5 s of CPU; the next begins 1 s later.

    80 % are GETs, of which 80 % hit.
    """
    gets = operations * 8 // 10
    hits = gets * 8 // 10
    fields: dict[str, Any] = {
        "lap": number,
        "turn": 1,
        "begun_ns": (2 * number - 1) * SECOND_NS,
        "elapsed_ns": SECOND_NS,
        "lasted_ns": SECOND_NS + 2 * MILLISECOND_NS,
        **dict.fromkeys(("operations", "units", "commands", "server_commands", "reads"), operations),
        **dict.fromkeys(("client_cpu_ns", "slice_cpu_ns"), SECOND_NS // 2),
        "waited_ns": SECOND_NS if number > 1 else 0,
        "waiting_cpu_ns": 0,
        "evidence_ns": SECOND_NS,
        "server_cpu_ns": 200 * MILLISECOND_NS,
        "other_cpu_ns": 10 * MILLISECOND_NS,
        "stolen_cpu_ns": 0,
        "input_bytes": 100,
        "connections_received": 0,
        "connections_open": 1,
        "hits": hits,
        "misses": gets - hits,
    }
    return SliceRecord(**fields | changes)


def make_latency(
    histogram: list[tuple[int, int]], max_ns: int | None = None, covers: SampleCovers = SampleCovers.COMMAND
) -> Latency:
    """Return latencies; the longest is by default the lowest of its bucket."""
    last_ns = max((value_ns for value_ns, _ in histogram), default=0)
    return Latency(sample_covers=covers, histogram=histogram, max_ns=last_ns if max_ns is None else max_ns)


def make_record(trial: Trial | None = None, operations: int = 1000, **changes: Any) -> LoopRecord:  # noqa: ANN401 - a record's fields
    """Return a record of a trial that is ok; every sample is in the bucket of 1 ms."""
    trial = trial or make_trial()
    fields: dict[str, Any] = {
        "trial_id": trial.id,
        "format": FORMAT,
        "cell_id": trial.cell.id,
        "block": trial.cell.block,
        "round": trial.round,
        "order": trial.round,
        "client": trial.cell.client,
        "language": "Python",
        "scenario": trial.cell.scenario,
        "shape": trial.cell.shape,
        "workload": trial.cell.workload,
        "server": trial.cell.server,
        "started_at": MORNING,
        "status": Status.OK,
        "versions": {"lib": "1.2.3", "runtime": "4"},
        "decodes_to": "bytes",
        "peak_memory_bytes": 2**20,
        "warm_up": WarmUp(slices=8, work_s=0.8, is_steady=True),
        "slices": [make_slice_record(operations)],
        "latency": make_latency([(999_936, operations)] if operations else []),
    }
    return LoopRecord(**fields | changes)


WOBBLE: Final = ((3, -5, 2), (-4, 6, 1), (5, 0, -6), (-2, 4, -3))
"""Commands by which a lap differs from its client's usual ones, by round."""


def laps(
    name: str,
    operations: int,
    language: str = "Python",
    workload: str = "tiny",
    **shape: Any,  # noqa: ANN401 - a shape's fields
) -> list[LoopRecord]:
    """Return four rounds of three laps of a client whose throughput is about this, and so has narrow intervals."""
    scenario = Scenario.BATCHING if "depth" in shape else Scenario.SYNC
    client = make_client(name, library=name.partition("[")[0])
    return [
        make_record(
            make_trial(scenario, Shape(**shape), number, client, workload),
            language=language,
            slices=[make_slice_record(operations + more, lap) for lap, more in enumerate(wobble, start=1)],
        )
        for number, wobble in enumerate(_shifted(WOBBLE, ord(name[0])), start=1)
    ]


def _shifted(rounds: tuple[tuple[int, ...], ...], by: int) -> tuple[tuple[int, ...], ...]:
    """Return the rounds in an order of each client's own: two clients that differed in step would look alike."""
    place = by % len(rounds)
    return rounds[place:] + rounds[:place]


def true_record(trial: Trial, operations: int) -> LoopRecord:
    """Return a record of one slice in which everything fits: units, and samples that fill its second."""
    units = operations // commands_per_unit(trial.cell.scenario, trial.cell.shape)
    latency = make_latency([(SECOND_NS // units, units)], covers=sample_covers(trial.cell.scenario, trial.cell.shape))
    return make_record(trial, slices=[make_slice_record(operations, units=units)], latency=latency)


def unmeasured(status: Status, reason: str, trial: Trial | None = None) -> LoopRecord:
    """Return a record of a trial that has no figures."""
    nothing: dict[str, Any] = {"warm_up": None, "slices": [], "latency": None, "versions": {}, "decodes_to": None}
    return make_record(trial, status=status, reason=reason, peak_memory_bytes=0, **nothing)


def make_containers(**changes: Any) -> Containers:  # noqa: ANN401 - its fields
    """Return what a manifest says of containers."""
    engine = Engine(
        docker="28.5.1",
        compose="2.40.0",
        operating_system="Debian GNU/Linux 13 (trixie)",
        kernel="6.12.0",
        cpus=4,
        memory_bytes=8 * 2**30,
        security=["seccomp"],
    )
    fields: dict[str, Any] = {
        "engine": engine,
        "cgroup_version": 2,
        "images": [Image(name="valkey/valkey:8.1", id="sha256:1", size_bytes=1, labels={})],
        "limits": [Limits(service="valkey", memory_bytes=8 * 2**30, cpus="0")],
    }
    return Containers(**fields | changes)


def make_manifest(**changes: Any) -> Manifest:  # noqa: ANN401 - a manifest's fields
    """Return the manifest of a complete run."""
    fields: dict[str, Any] = {
        "format": FORMAT,
        "run_id": "20261121T090000Z-tiny-seed1",
        "respmark_version": "0.1.0",
        "command_line": ["respmark", "run", "tiny"],
        "status": RunStatus.COMPLETE,
        "started_at": MORNING,
        "ended_at": MORNING,
        "suite": {"name": "tiny"},
        "workloads": {"tiny": make_workload_description("tiny")},
        "clients": ["lib"],
        "cells": [],
        "rounds": 3,
        "laps": 10,
        "slice_s": 0.1,
        "lead_in_s": 0.08,
        "warmup_limit_s": 1.5,
        "seed": 1,
        "trials": 3,
        "placement": Placement(server=None, clients=None, awake=True),
        "machine": Machine(
            cpu_model="A CPU",
            cpus=4,
            memory_bytes=8 * 2**30,
            kernel="Linux 6.1",
            architecture="x86_64",
            operating_system="Debian 12",
            frequency_governor=None,
            hypervisor=True,
            container="docker",
        ),
        "harness": {"python": "3.11.2"},
        "servers": {"spawned": make_server_description()},
    }
    return Manifest(**fields | changes)


def planned_cell(record: TrialRecord) -> CellDescription:
    """Return a record's cell as a manifest lists it."""
    return CellDescription(
        cell_id=record.cell_id,
        client=record.client,
        language=record.language,
        scenario=record.scenario,
        shape=record.shape,
        block=record.block,
        workload=record.workload,
        server=record.server,
    )


def make_run(*records: TrialRecord, kind: FigureKind = LOOPS, **changes: Any) -> RunFigures:  # noqa: ANN401 - a manifest's fields
    """Return a whole run of these records, which are of one kind, its cells in the order in which they come."""
    cells = list({record.cell_id: planned_cell(record) for record in records}.values())
    rounds = max((record.round for record in records), default=1)
    fields: dict[str, Any] = {"cells": cells, "rounds": rounds}
    fields["workloads"] = {name: make_workload_description(name) for name in _names("tiny", "workload", records)}
    fields["servers"] = {name: make_server_description() for name in _names("spawned", "server", records)}
    return RunFigures.of(Path("nowhere"), make_manifest(**fields | changes), records, kind)


def make_workload_description(name: str, sha256: str = "00") -> WorkloadDescription:
    """Return what a manifest says of a workload."""
    summary = "for tests" if name == "tiny" else f"{name} for tests"
    return WorkloadDescription(spec={"name": name, "summary": summary, "commands": 60}, sha256=sha256)


def make_server_description(**changes: Any) -> ServerDescription:  # noqa: ANN401 - its fields
    """Return what a manifest says of a server that the run started."""
    fields: dict[str, Any] = {"program": "redis-server", "version": "redis 7.0.15", "info": {}}
    return ServerDescription(**{"address": "127.0.0.1:6379", "spawned": True, **fields} | changes)


def _names(own: str, field: str, records: Iterable[TrialRecord]) -> list[str]:
    """Return the names in this field of the records; the suite's own is the first."""
    found = dict.fromkeys(getattr(record, field) for record in records)
    return sorted(found, key=lambda name: name != own) or [own]
