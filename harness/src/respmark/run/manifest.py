"""The manifest of a run: what is known when it begins, and what is added when it ends."""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version

from respmark import __version__
from respmark.errors import RunFolderError
from respmark.machine.description import this_machine
from respmark.network.round_trip import RoundTrip, cpu_ns_of, remarks
from respmark.plan.plan import PlannedCell
from respmark.redaction import redacted as redact
from respmark.results.manifest import (
    CellDescription,
    Manifest,
    RoundTripDescription,
    RunStatus,
    ServerDescription,
    WorkloadDescription,
)
from respmark.results.records import FORMAT
from respmark.results.store import RunFolder, measured_and_lost
from respmark.run.testbed import OpenOptions, Testbed
from respmark.servers.evidence import server_info, server_version
from respmark.servers.info import info_text, parse_info
from respmark.servers.node import build_of
from respmark.servers.server import Server
from respmark.servers.url import address
from respmark.specs.catalogue import Catalogue, dump
from respmark.workload.columns import digest
from respmark.workload.spec import WorkloadSpec

PACKAGES = ("cyclopts", "numpy", "pydantic", "python-on-whales", "redis", "rich")


def manifest_of(options: OpenOptions, bed: Testbed) -> Manifest:
    """Return the manifest of a run that begins."""
    plan = options.plan
    return Manifest(
        format=FORMAT,
        run_id=options.folder.name,
        respmark_version=__version__,
        command_line=list(options.command_line),
        status=RunStatus.RUNNING,
        started_at=datetime.now(UTC),
        ended_at=None,
        suite={**dump(plan.suite), "server": redact(plan.suite.server)},
        workloads={name: _workload(spec, bed) for name, spec in plan.settings.workloads.items()},
        scenarios={cell.scenario: options.catalogue.scenarios[cell.scenario] for cell in plan.cells},
        clients=[client.name for client in plan.clients],
        named_clients=list(plan.named),
        control=plan.control,
        cells=[_described(cell, options.catalogue) for cell in plan.cells],
        rounds=plan.settings.rounds,
        laps=plan.settings.laps,
        slice_s=plan.settings.slice_s,
        lead_in_s=plan.settings.lead_in_s,
        warmup_limit_s=plan.settings.warmup_limit_s,
        time_limit_s=None if plan.settings.minutes is None else plan.settings.minutes * 60,
        processes="block",
        seed=plan.settings.seed,
        trials=len(plan.trials),
        until=options.until,
        machine=this_machine(),
        harness={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        servers={name: server_description(server.server) for name, server in bed.servers.items()},
        round_trips=round_trips_of(bed, is_over=False),
        packages={name: dict(versions) for name, versions in options.packages.items()},
        commits=dict(options.commits),
        compilers={
            name: spec.compilers
            for name, spec in options.catalogue.runners.items()
            if spec.compilers and name in {client.runner for client in options.plan.clients}
        },
        placement=bed.executor.placement,
        containers=bed.executor.containers(plan.clients),
        hosts=bed.executor.hosts,
        warnings=list(options.warnings),
    )


def _workload(spec: WorkloadSpec, bed: Testbed) -> WorkloadDescription:
    made = bed.workloads[spec.name].workload
    return WorkloadDescription(spec=dump(spec), sha256=digest(made, spec.key_prefix))


def _described(cell: PlannedCell, catalogue: Catalogue) -> CellDescription:
    return CellDescription(
        cell_id=cell.id,
        client=cell.client,
        language=catalogue.runners[cell.client.runner].language,
        scenario=cell.scenario,
        shape=cell.shape,
        block=cell.block,
        workload=cell.workload,
        server=cell.server,
    )


def round_trips_of(bed: Testbed, *, is_over: bool) -> list[RoundTripDescription]:
    """Return the round trips that relays make, with the CPU that they used if the run is over."""
    return [
        _round_trip(name, relays, is_over=is_over)
        for name, server in bed.servers.items()
        for relays in server.round_trips.values()
    ]


def _round_trip(server: str, relays: Sequence[RoundTrip], *, is_over: bool) -> RoundTripDescription:
    used_ns = cpu_ns_of(relays) if is_over else None
    slowest = max(relays, key=lambda one: one.p50_ns)
    return RoundTripDescription(
        server=server,
        asked_ms=slowest.asked_ns / 1e6,
        p50_ms=slowest.p50_ns / 1e6,
        p99_ms=slowest.p99_ns / 1e6,
        alone_ms=slowest.alone_ns / 1e6,
        cpu_s=None if used_ns is None else used_ns / 1e9,
        relays=len(relays),
    )


@contextmanager
def manifest_closed(
    folder: RunFolder,
    manifest: Manifest,
    bed: Testbed,
    spent: Callable[[RunStatus], Mapping[str, object]] = lambda _status: {},
) -> Iterator[None]:
    """Write into the manifest how the run ended, whatever ends it."""
    status = RunStatus.STOPPED
    try:
        yield
        status = RunStatus.COMPLETE
    except KeyboardInterrupt:
        status = RunStatus.INTERRUPTED
        raise
    finally:
        servers = bed.servers.values()
        of_keys = [remark for server in servers for remark in server.state.remarks]
        made = [one for server in servers for several in server.round_trips.values() for one in several]
        told = {"warnings": [*manifest.warnings, *of_keys, *remarks(made)], **spent(status)}
        ended = manifest.model_copy(update={"status": status, "ended_at": datetime.now(UTC), **told})
        # On a full disk, the manifest still says `running`, which reports take for an incomplete run.
        with suppress(RunFolderError) if status is not RunStatus.COMPLETE else measured_and_lost():
            folder.write_manifest(ended)


def server_description(server: Server) -> ServerDescription:
    """Return what a manifest says of a server under test."""
    info, endpoint = server_info(server.control), server.for_runners
    primaries, replicas = len(server.control.nodes), len(server.control.replicas)
    watched = f" (sentinels {len(endpoint.sentinels)}, replicas {replicas})" if endpoint.sentinels else ""
    nodes = f" (a cluster: primaries {primaries}, replicas {replicas})" if server.is_cluster else watched
    return ServerDescription(
        address=address(endpoint) + (" over TLS" if endpoint.tls else "") + nodes,
        spawned=server.spawned,
        program=server.node.program,
        version=server_version(info) + build_of(server.node.program),
        allocator=parse_info(info_text(server.control, "memory")).get("mem_allocator"),
        info=info,
    )
