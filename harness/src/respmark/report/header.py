"""The lines above the tables: which run, on which machine, against which server."""

from collections.abc import Mapping
from typing import Final

from respmark.machine.description import Machine
from respmark.machine.placement import UNPINNED
from respmark.report.labels import NAMED, listed, plural
from respmark.results.containers import Containers
from respmark.results.manifest import HostDescription, Manifest, RoundTripDescription, RunStatus, ServerDescription

GIBIBYTE: Final = 2**30
NOT_WHOLE: Final = "THIS RUN IS INCOMPLETE"
WARNING: Final = "warning: "
STAND_IN_LABEL: Final = "stand-in.of"
"""The label of images that only share the name of a public one, and of images built on them."""


def header_lines(manifest: Manifest, laps: str | None = None) -> list[str]:
    """Return the lines above the tables; `laps` is what a round is, by default laps of slices."""
    planned = "" if manifest.status is RunStatus.COMPLETE else " planned"
    rounds = f"{plural(manifest.rounds, 'round')}{planned}"
    slices = f"{manifest.slice_s or 0:g} s slices with {manifest.lead_in_s or 0:g} s lead-in"
    of_slices = f"{'' if manifest.minutes is None else 'about '}{manifest.laps} laps of {slices}"
    return [
        f"run {manifest.run_id}: {rounds}, each {laps or of_slices}; seed {manifest.seed}",
        *_workloads(manifest),
        *(_server(name, one, is_one=len(manifest.servers) == 1) for name, one in manifest.servers.items()),
        machine_line(manifest.machine),
        *_round_trips(manifest),
        *([_containers(manifest.containers)] if manifest.containers else []),
        *map(_host, manifest.hosts),
        *([f"CPUs: {manifest.placement.words}"] if manifest.placement != UNPINNED else []),
        *alarms(manifest),
    ]


def _workloads(manifest: Manifest) -> list[str]:
    """Return a line a workload, or one for all if there are many."""
    if len(manifest.workloads) > NAMED:
        return [
            f"{plural(len(manifest.workloads), 'workload')}: {listed(manifest.workloads)}; manifest.json describes each"
        ]
    return [f"workload {name}: {one.spec['summary']}" for name, one in manifest.workloads.items()]


def _server(name: str, server: ServerDescription, *, is_one: bool) -> str:
    """Return a server in one line, by its name and with its allocator if there are several: they differ by it, too."""
    whence = "started for the run" if server.spawned else "already there"
    if is_one:
        return f"server {server.version}, {whence}, {server.address}"
    return f"server {name}: {server.version}, allocator {server.allocator or 'unknown'}, {whence}, {server.address}"


def _round_trips(manifest: Manifest) -> list[str]:
    has_several = len({one.server for one in manifest.round_trips}) > 1
    return [_round_trip(one, f" to {one.server}" if has_several else "") for one in manifest.round_trips]


def _round_trip(made: RoundTripDescription, whom: str) -> str:
    through, who = "the relay", "the relay"
    if made.relays > 1:
        through, who = f"the slowest of {made.relays} relays, one for each node", "the relays"
    used = "" if made.cpu_s is None else f"; {who} used {made.cpu_s:.1f} s of CPU in the run"
    return (
        f"round trip {made.asked_ms:g} ms{whom}: PING took {made.p50_ms:.3f} ms through {through} (p99 "
        f"{made.p99_ms:.3f} ms), {made.alone_ms:.3f} ms of it relay and server{used}"
    )


def short_header(manifest: Manifest) -> tuple[str, ...]:
    """Return the most important of these lines."""
    server = manifest.servers[manifest.first_server]
    where = f"server {server.version}, {server.address}"
    if len(manifest.servers) > 1:
        where = f"servers {listed(f'{name} ({one.version})' for name, one in manifest.servers.items())}"
    return (
        f"run {manifest.run_id}: workload {listed(manifest.workloads)}, {where}",
        f"machine {machine_name(manifest.machine)}",
        *_round_trips(manifest),
    )


def alarms(manifest: Manifest) -> list[str]:
    """Return the lines that a reader must see before any figure: that the run is incomplete, and its warnings."""
    missing = [] if manifest.status is RunStatus.COMPLETE else [f"{NOT_WHOLE}: {manifest.status}; rounds are missing"]
    return missing + [f"{WARNING}{warning}" for warning in manifest.warnings]


def machine_line(machine: Machine) -> str:
    """Return which machine it was, in one line."""
    container = f", in {machine.container}" if machine.container else ""
    return f"machine {machine_name(machine)}, {machine.kernel}{container}"


def machine_name(machine: Machine) -> str:
    """Return a machine's processors, memory and system in words."""
    virtual = " (virtual)" if machine.hypervisor else ""
    memory = f"{machine.memory_bytes / GIBIBYTE:.0f} GiB"
    return f"{machine.cpus} x {machine.cpu_model}{virtual}, {memory}, {machine.operating_system}"


def _host(found: HostDescription) -> str:
    where = "this machine" if found.is_here else machine_name(found.machine)
    loaded = "".join(f", {name} {version}" for name, version in found.versions.items())
    clock = f"its clock known within {found.clock_error_ns / 1e3:,.0f} µs"
    return f"host {found.name} ({found.address}): {where}{loaded}, {clock}"


def _containers(found: Containers) -> str:
    stand_ins = ((one.name, one.labels.get(STAND_IN_LABEL)) for one in found.images)
    images = (f"{name} (stand-in for {public})" if public else name for name, public in stand_ins)
    limits = {f"{limit.service} {limit.memory_bytes / GIBIBYTE:g} GiB" for limit in found.limits if limit.memory_bytes}
    return (
        f"containers docker {found.engine.docker}, compose {found.engine.compose}, {found.network} network, "
        f"memory limits {', '.join(sorted(limits)) or 'none'}; images {', '.join(images)}"
    )


def versions_line(versions: Mapping[str, Mapping[str, str]]) -> str:
    """Return what each client loaded, in one line; clients that loaded the same share an entry under the first name."""
    loads: dict[frozenset[tuple[str, str]], list[str]] = {}
    for client, loaded in versions.items():
        loads.setdefault(frozenset(loaded.items()), []).append(client)
    entries = []
    for first, *others in loads.values():
        variants = f" and {plural(len(others), 'variant')}" if others else ""
        entries.append(f"{first}{variants}: {', '.join(map(' '.join, versions[first].items()))}")
    return "; ".join(entries)
