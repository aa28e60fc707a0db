"""What tests build their worlds from: specs, plans, requests, records and runs, each with what a test does not name."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import SecretStr

from respmark.containers.manifest import Containers, Engine, Image, Limits
from respmark.contract.base import RESULTS_VERSION, SCHEMA_VERSION
from respmark.contract.events import (
    Latency,
    Loaded,
    Moment,
    Ready,
    Result,
    SampleCovers,
    Segment,
    Slice,
    SliceOrder,
    Work,
)
from respmark.contract.trial import Endpoint, Scenario, Shape, TrialRequest, WorkloadPart
from respmark.paths import HARNESS
from respmark.placement import Placement
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import BlockRound, Cell, Plan, Settings, Trial
from respmark.results.machine import Machine
from respmark.results.manifest import Manifest, PlannedCell, RunStatus, TargetDescription, WorkloadDescription
from respmark.results.records import Calls, Evidence, Expectation, SliceRecord, Status, TrialRecord, WarmUp
from respmark.results.store import Run
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.scenario import commands_per_unit, sample_covers
from respmark.workload import file as workload_file
from respmark.workload.file import Workload
from respmark.workload.generate import generate
from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, ValueArgument, WorkloadSpec

SHIPPED: Final = Catalogue(HARNESS / "specs")
"""The specs of the checkout, whatever the environment says."""
MORNING: Final = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HIDDEN: Final = "hush-hush-7"
"""A password that must turn up nowhere."""
MILLISECOND_NS: Final = 1_000_000
SECOND_NS: Final = 1_000_000_000

# --- specs and plans -------------------------------------------------------------------------------------------------


def tiny_spec(**changes: Any) -> WorkloadSpec:  # noqa: ANN401 - a spec's fields
    """Return the spec of a small workload: 60 commands on 10 keys, of which 8 are preloaded."""
    fields: dict[str, Any] = {
        "name": "tiny",
        "summary": "for tests",
        "commands": 60,
        "preload_keys": 8,
        "key_digits": 4,
        "modulus_bits": 8,
        "sizes": SizeSpec(mean_bytes=16, standard_deviation_bytes=4, min_bytes=4, max_bytes=32),
        "mix": (
            CommandSpec(name="GET", share=0.75, keys=10, arguments=(KeyArgument(),)),
            CommandSpec(name="SET", share=0.25, keys=6, arguments=(KeyArgument(), ValueArgument())),
        ),
    }
    return WorkloadSpec(**fields | changes)


def client_spec(**changes: Any) -> ClientSpec:  # noqa: ANN401 - a spec's fields
    """Return the spec of a client that can do everything."""
    fields: dict[str, Any] = {
        "library": "lib",
        "runner": "python",
        "summary": "for tests",
        "options": {
            "parser": {"values": ["fast", "slow"], "help": "which parser"},
            "protocol": {"values": [3, 2], "help": "RESP version"},
            "timeout": {"values": [False, True], "help": "whether commands time out"},
        },
        "scenarios": {
            **{scenario: {} for scenario in Scenario},
            "pipelining": {"windows": ["burst"]},
            "transaction": {"forms": ["batched"]},
        },
        "variants": [{}, {"options": {"parser": "slow"}}],
        "versions": {"1.0": {"summary": "old", "options": {"protocol": [2]}, "unsupported": {"pool": "1.0 has none"}}},
    }
    return ClientSpec.model_validate_json(json.dumps(fields | changes))


def make_client(name: str = "lib", **changes: Any) -> Client:  # noqa: ANN401 - a client's fields
    """Return a client by hand."""
    fields: dict[str, Any] = {"name": name, "library": "lib", "runner": "python", "version": None, "options": {}}
    return Client(**fields | changes)


def planned(suite: str = "smoke", **request: Any) -> Plan:  # noqa: ANN401 - a request's fields
    """Return the plan of a shipped suite."""
    return make_plan(Request(suite=suite, **request), SHIPPED)


def make_trial(
    scenario: Scenario = Scenario.SYNC,
    shape: Shape | None = None,
    number: int = 1,
    client: Client | None = None,
    workload: str | None = None,
) -> Trial:
    """Return one trial by hand; `workload` names another than the suite's own."""
    return Trial(Cell(client or make_client(), scenario, shape or Shape(), None, workload=workload), number)


def make_settings(**changes: Any) -> Settings:  # noqa: ANN401 - settings' fields
    """Return settings for the tiny workload: two laps of 1 s without lead-in or warm-up."""
    fields: dict[str, Any] = {
        "suite": "tiny",
        "workload": tiny_spec(),
        "target": "spawned",
        "rounds": 1,
        "laps": 2,
        "slice_s": 1.0,
        "lead_in_s": 0.0,
        "warmup_limit_s": 0.0,
        "seed": 1,
    }
    return Settings(**fields | changes)


def make_block(*trials: Trial) -> BlockRound:
    """Return one round of the trials' block."""
    return BlockRound(trials[0].cell.block, trials[0].round, trials)


def write_specs(folder: Path, **files: str) -> Path:
    """Write spec files, `suites__mine="..."` as suites/mine.toml, beside copies of the shipped ones."""
    for path in (HARNESS / "specs").rglob("*.toml"):
        copy = folder / path.relative_to(HARNESS / "specs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for name, text in files.items():
        folder.joinpath(*name.split("__")).with_suffix(".toml").write_text(text, encoding="utf-8")
    return folder


# --- records by hand -------------------------------------------------------------------------------------------------


def make_loaded(trial_id: str = "t") -> Loaded:
    """Return a `loaded` event."""
    return Loaded(schema_version=SCHEMA_VERSION, trial_id=trial_id, startup_ns=1)


def make_ready(trial_id: str = "t") -> Ready:
    """Return a `ready` event."""
    return Ready(trial_id=trial_id, connect_ns=1, verified_replies=100)


def make_moment(at_ns: int, cpu_ns: int) -> Moment:
    """Return a moment; a fifth of the CPU is the system's."""
    return Moment(at_ns=at_ns, cpu_user_ns=cpu_ns - cpu_ns // 5, cpu_system_ns=cpu_ns // 5)


def make_slice(operations: int = 1000, number: int = 1, **changes: Any) -> Slice:  # noqa: ANN401 - a slice's fields
    """Return a consistent answer of `sync`: 1 s of work without a lead-in, 0.5 s of CPU; the next begins 1 s later."""
    begun_ns = (2 * number - 1) * SECOND_NS
    used_ns = (number - 1) * SECOND_NS // 2
    fields: dict[str, Any] = {
        "trial_id": "t",
        "slice": number,
        "started": make_moment(begun_ns, used_ns),
        "measured_from": make_moment(begun_ns, used_ns),
        "ended": make_moment(begun_ns + SECOND_NS, used_ns + SECOND_NS // 2),
        "lead_in": Work(operations=0, units=0),
        "measured": Work(operations=operations, units=operations),
        "segments": [Segment(first_command=0, operations=operations)],
        "errors": {},
        "first_error": None,
    }
    return Slice(**fields | changes)


def make_slice_record(operations: int = 1000, number: int = 1, **changes: Any) -> SliceRecord:  # noqa: ANN401 - its fields
    """Return a slice that the server backs."""
    fields: dict[str, Any] = {
        "lap": number,
        "turn": 1,
        "answers": [make_slice(operations, number)],
        "order": SliceOrder(slice=number, duration_ns=SECOND_NS, first_command=0, keep_samples=True),
        "ordered_ns": (2 * number - 1) * SECOND_NS - MILLISECOND_NS,
        "answered_ns": 2 * number * SECOND_NS + MILLISECOND_NS,
        "evidence": make_evidence(operations),
        "cpu_by_kernel_ns": None,
        "mismatch": None,
    }
    return SliceRecord(**fields | changes)


def make_result(operations: int = 1000, **changes: Any) -> Result:  # noqa: ANN401 - a result's fields
    """Return a consistent result of `sync`: every sample in the bucket of 1 ms."""
    fields: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "trial_id": "t",
        "latency": make_latency([(999_936, operations)] if operations else []),
        "peak_memory_bytes": 2**20,
        "decodes_to": "bytes",
        "runtime_health": {},
        "runtime_settings": {},
        "versions": {"lib": "1.2.3", "runtime": "4"},
    }
    return Result(**fields | changes)


def make_latency(
    histogram: list[tuple[int, int]], max_ns: int = 2 * MILLISECOND_NS, covers: SampleCovers = SampleCovers.COMMAND
) -> Latency:
    """Return latencies."""
    return Latency(sample_covers=covers, histogram=histogram, max_ns=max_ns)


def make_evidence(operations: int = 1000, **changes: Any) -> Evidence:  # noqa: ANN401 - evidence's fields
    """Return evidence that backs `make_result(operations)`: 80 % GET, of which 80 % hit."""
    gets = operations * 8 // 10
    hits = gets * 8 // 10
    fields: dict[str, Any] = {
        "elapsed_ns": SECOND_NS,
        "workload_calls": {"get": Calls(calls=gets), "set": Calls(calls=operations - gets)},
        "setup_calls": {},
        "other_calls": {},
        "connections_received": 0,
        "connections_open": 1,
        "reads_processed": operations,
        "keyspace_hits": hits,
        "keyspace_misses": gets - hits,
        "evicted_keys": 0,
        "expired_keys": 0,
        "network_input_bytes": 100,
        "network_output_bytes": 100,
        "server_cpu_user_ns": 150 * MILLISECOND_NS,
        "server_cpu_system_ns": 50 * MILLISECOND_NS,
        "other_cpu_ns": 10 * MILLISECOND_NS,
        "stolen_cpu_ns": 0,
        "expected": Expectation(calls={"get": gets, "set": operations - gets}, hits=hits, misses=gets - hits),
    }
    return Evidence(**fields | changes)


def make_record(trial: Trial | None = None, operations: int = 1000, **changes: Any) -> TrialRecord:  # noqa: ANN401 - a record's fields
    """Return a record of a trial that is ok."""
    trial = trial or make_trial()
    fields: dict[str, Any] = {
        "schema_version": RESULTS_VERSION,
        "trial_id": trial.id,
        "cell_id": trial.cell.id,
        "block": trial.cell.block,
        "round": trial.round,
        "order": trial.round,
        "client": trial.cell.client,
        "language": "Python",
        "scenario": trial.cell.scenario,
        "shape": trial.cell.shape,
        "workload": trial.cell.workload or "tiny",
        "started_at": MORNING,
        "status": Status.OK,
        "reason": None,
        "warm_up": WarmUp(slices=8, work_s=0.8, is_steady=True),
        "slices": [make_slice_record(operations)],
        "results": [make_result(operations)],
    }
    return TrialRecord(**fields | changes)


WOBBLE: Final = ((3, -5, 2), (-4, 6, 1), (5, 0, -6), (-2, 4, -3))
"""Commands by which a lap differs from its client's usual ones, by round."""


def laps(
    name: str,
    operations: int,
    language: str = "Python",
    workload: str | None = None,
    **shape: Any,  # noqa: ANN401 - a shape's fields
) -> list[TrialRecord]:
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


def true_record(trial: Trial, operations: int) -> TrialRecord:
    """Return a record of one slice in which everything fits: units, and samples that fill its second."""
    units = operations // commands_per_unit(trial.cell.scenario, trial.cell.shape)
    answer = make_slice(operations, measured=Work(operations=operations, units=units))
    latency = make_latency([(SECOND_NS // units, units)], covers=sample_covers(trial.cell.scenario, trial.cell.shape))
    slices = [make_slice_record(operations, answers=[answer])]
    return make_record(trial, slices=slices, results=[make_result(units, latency=latency)])


def unmeasured(status: Status, reason: str, trial: Trial | None = None) -> TrialRecord:
    """Return a record of a trial that has no figures."""
    return make_record(trial, status=status, reason=reason, warm_up=None, slices=[], results=[])


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
        "schema_version": RESULTS_VERSION,
        "run_id": "20261121T090000Z-tiny-seed1",
        "respmark_version": "0.1.0",
        "command_line": ["respmark", "run", "tiny"],
        "status": RunStatus.COMPLETE,
        "started_at": MORNING,
        "ended_at": MORNING,
        "suite": {"name": "tiny"},
        "workload": {"name": "tiny", "summary": "for tests", "commands": 60},
        "workload_sha256": "00",
        "clients": ["lib"],
        "cells": [],
        "rounds": 3,
        "laps": 10,
        "slice_s": 0.1,
        "lead_in_s": 0.08,
        "warmup_limit_s": 1.5,
        "seed": 1,
        "trials": 3,
        "placement": Placement(target=None, clients=None, awake=True),
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
        "target": TargetDescription(
            name="spawned",
            address="127.0.0.1:6379",
            spawned=True,
            program="redis-server",
            version="redis 7.0.15",
            info={},
        ),
    }
    return Manifest(**fields | changes)


def planned_cell(record: TrialRecord) -> PlannedCell:
    """Return a record's cell as a manifest lists it."""
    return PlannedCell(
        cell_id=record.cell_id,
        client=record.client,
        language=record.language,
        scenario=record.scenario,
        shape=record.shape,
        block=record.block,
        workload=None if record.workload == "tiny" else record.workload,
    )


def make_run(*records: TrialRecord, **changes: Any) -> Run:  # noqa: ANN401 - a manifest's fields
    """Return a whole run of these records, its cells in the order in which they come."""
    cells = list({record.cell_id: planned_cell(record) for record in records}.values())
    rounds = max((record.round for record in records), default=1)
    others = {record.workload: make_workload_description(record.workload) for record in records} | {"tiny": None}
    fields = {"cells": cells, "rounds": rounds, "other_workloads": {name: one for name, one in others.items() if one}}
    return Run(Path("nowhere"), make_manifest(**fields | changes), records)


def make_workload_description(name: str, sha256: str = "00") -> WorkloadDescription:
    """Return what a manifest says of another workload than the suite's own."""
    return WorkloadDescription(spec={"name": name, "summary": f"{name} for tests", "commands": 60}, sha256=sha256)


# --- trials and workloads ---------------------------------------------------------------------------------------------


def tiny_workload(**changes: Any) -> Workload:  # noqa: ANN401 - a spec's fields
    """Return the small workload."""
    return generate(tiny_spec(**changes), 1)


def make_request(**changes: Any) -> TrialRequest:  # noqa: ANN401 - a request's fields
    """Return a trial request."""
    fields: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "trial_id": "t",
        "client": make_client().choice,
        "scenario": Scenario.SYNC,
        "shape": Shape(),
        "workload": WorkloadPart(path="tiny.workload"),
        "target": Endpoint(host="127.0.0.1", port=6379, password=SecretStr(HIDDEN)),
    }
    return TrialRequest(**fields | changes)


def write_workload(folder: Path, workload: Workload) -> Path:
    """Write a workload file and return its path."""
    path = folder / "a.workload"
    workload_file.write(workload, path)
    return path


def every_key(workload: Workload) -> "np.ndarray[Any, np.dtype[np.uint32]]":
    """Return the numbers of all preloaded keys."""
    return np.arange(workload.header.preload_keys, dtype=np.uint32)
