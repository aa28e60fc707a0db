"""The lines above the tables: which run, on which machine, against which target."""

from respmark.containers.manifest import Containers
from respmark.placement import UNPINNED
from respmark.results.machine import Machine
from respmark.results.manifest import Manifest, RunStatus

GIBIBYTE = 2**30
NOT_WHOLE = "THIS RUN IS INCOMPLETE"
WARNING = "warning: "
SHORTEST_LEAD_IN_S = 0.08
"""By its end, the kernel has separated a client and its server if it had put them on one CPU after a rest."""
SHARED_A_CPU = (
    "clients that wait for each reply may look up to three times too fast: they were measured right after a rest, when "
    'the kernel may still run them on the server\'s CPU ("What a rest does" in docs/statistics.md)'
)
MAY_HAVE_SLEPT = (
    "idle CPUs may have slept between commands, because an older respmark did not keep them awake: on a virtual "
    "machine, waking them can take most of the time of clients that wait for each reply, and counts as CPU "
    '("What idle CPUs do" in docs/statistics.md)'
)
MAY_HAVE_COMPILED = (
    "clients in Java and C# may not have been warm, because an older respmark did not watch their compilers: they may "
    'look a third too slow, at twice the CPU per command ("Warming up" in docs/statistics.md)'
)
COMPILED = {"java", "dotnet"}
"""Runners whose runtimes compile in separate threads."""
STAND_IN_LABEL = "stand-in.of"
"""The label of images that only share the name of a public one, and of images built on them."""


def header_lines(manifest: Manifest) -> list[str]:
    """Return the lines above the tables."""
    machine, target = manifest.machine, manifest.target
    lines = [
        f"run {manifest.run_id}: {_shape(manifest)}, seed {manifest.seed}",
        *(f"workload {name}: {one.spec['summary']}" for name, one in manifest.workloads.items()),
        f"target {target.version}, {'started for the run' if target.spawned else 'already there'}, {target.address}",
        machine_line(machine),
    ]
    if manifest.containers is not None:
        lines.append(_containers(manifest.containers))
    if manifest.placement != UNPINNED:
        lines.append(f"CPUs: {manifest.placement.words}")
    return lines + alarms(manifest)


def alarms(manifest: Manifest) -> list[str]:
    """Return the lines that a reader must see before any figure: that the run is incomplete, and its warnings."""
    is_whole = manifest.status is RunStatus.COMPLETE
    lines = [] if is_whole else [f"{NOT_WHOLE}: {manifest.status}; rounds are missing"]
    return lines + [f"{WARNING}{warning}" for warning in warnings_of(manifest)]


def warnings_of(manifest: Manifest) -> list[str]:
    """Return what a reader must know before any figure: about the machine, and about how the run measured."""
    may_have_slept = manifest.placement.awake is None and manifest.machine.hypervisor
    may_have_compiled = manifest.compilers is None and any(one.runner in COMPILED for one in manifest.runners)
    doubts = {
        SHARED_A_CPU: _shared_a_cpu(manifest),
        MAY_HAVE_SLEPT: may_have_slept,
        MAY_HAVE_COMPILED: may_have_compiled,
    }
    return [doubt for doubt, applies in doubts.items() if applies] + manifest.warnings


def _shared_a_cpu(manifest: Manifest) -> bool:
    """Return whether clients were measured while the kernel may have had them on the server's CPU."""
    short = manifest.lead_in_s is not None and manifest.slice_s is not None and manifest.lead_in_s < SHORTEST_LEAD_IN_S
    return short and manifest.target.spawned and not manifest.placement.is_pinned


def _shape(manifest: Manifest) -> str:
    """Return how a run measured, in words."""
    rounds = f"{manifest.rounds} round{'s' if manifest.rounds > 1 else ''}"
    if manifest.slice_s is None:
        return f"{rounds}, {manifest.measure_s:g} s windows (version 1: no turns, no intervals)"
    about = "" if manifest.minutes is None else "about "
    slices = f"{about}{manifest.laps} laps of {manifest.slice_s:g} s slices"
    return f"{rounds} of {slices} after {manifest.lead_in_s:g} s lead-in"


def machine_line(machine: Machine) -> str:
    """Return which machine it was, in one line."""
    container = f", in {machine.container}" if machine.container else ""
    return f"machine {machine_words(machine)}, {machine.kernel}{container}"


def machine_words(machine: Machine) -> str:
    """Return a machine's processors, memory and system in words."""
    virtual = " (virtual)" if machine.hypervisor else ""
    memory = f"{machine.memory_bytes / GIBIBYTE:.0f} GiB"
    return f"{machine.cpus} x {machine.cpu_model}{virtual}, {memory}, {machine.operating_system}"


def _containers(found: Containers) -> str:
    images = [
        f"{image.name}{f' (stand-in for {stands})' if (stands := image.labels.get(STAND_IN_LABEL)) else ''}"
        for image in found.images
    ]
    limits = {f"{limit.service} {limit.memory_bytes / GIBIBYTE:g} GiB" for limit in found.limits if limit.memory_bytes}
    return (
        f"containers docker {found.engine.docker}, compose {found.engine.compose}, {found.network} network, "
        f"memory limits {', '.join(sorted(limits)) or 'none'}; images {', '.join(images)}"
    )


def versions_line(versions: dict[str, dict[str, str]]) -> str:
    """Return what each client loaded, in one line; clients that loaded the same share an entry under the first name."""
    loads: dict[frozenset[tuple[str, str]], list[str]] = {}
    for client, loaded in versions.items():
        loads.setdefault(frozenset(loaded.items()), []).append(client)
    return "; ".join(
        f"{clients[0]}{_and_others(len(clients) - 1)}: "
        f"{', '.join(f'{name} {version}' for name, version in versions[clients[0]].items())}"
        for clients in loads.values()
    )


def _and_others(count: int) -> str:
    return "" if not count else f" and {count} variant{'s' if count > 1 else ''}"
