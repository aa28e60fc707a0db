"""The checks that cost nothing: the kernel's files, memory and disk. `root` and the clock are parameters for tests."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from respmark.errors import NothingRanError
from respmark.evidence.kernel import available_memory_bytes, machine_cpu
from respmark.idle import DEVICE, can_keep_awake, has_idle_driver
from respmark.limits import FILES_BESIDE, most_files
from respmark.placement import available_cpus
from respmark.plan.needs import Needs
from respmark.plan.trial import Plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import SpawnedTarget, TargetSpec
from respmark.target.server_config import MAX_CLIENTS
from respmark.target.url import is_here


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    found: str
    advice: str | None = None
    """What to do; None: nothing, all is well."""

    @property
    def warning(self) -> str:
        """Return the finding as one sentence for a manifest."""
        return f"{self.subject}: {self.found}; {self.advice}"


LOAD_SAMPLE_S: Final = 0.5
BUSY_PERCENT: Final = 10.0
"""The most of one processor that others may use before we begin."""
STOLEN_PERCENT: Final = 2.0
ROOT: Final = Path("/")


def cpu_count(available: int, runners: int, *, server_here: bool) -> Finding:
    """Compare the number of processors with the number of processes that are busy at the same time."""
    needed = runners + (1 if server_here else 0)
    busy = f"{runners} runner process{'es' if runners > 1 else ''}{' and the server' if server_here else ''}"
    found = f"{available} for {needed} busy processes ({busy})"
    if available < needed:
        return Finding(
            "CPUs", found, "they share processors: read client and server CPU, not throughput, or use a larger machine"
        )
    if available < needed + 1:
        return Finding("CPUs", found, "nothing is left for the harness and the system: expect a few percent of noise")
    return Finding("CPUs", found)


def shared_core(available: int, *, server_here: bool) -> Finding:
    """Report whether server and client must, or may, run on the same processor."""
    if not server_here:
        return Finding("server and client", "on different machines")
    if available == 1:
        return Finding("server and client", "share the only CPU", "figures show their sum; give this machine two CPUs")
    return Finding("server and client", f"not pinned, the kernel may place them on any of {available} CPUs")


def governor(root: Path = ROOT) -> Finding:
    """Check the frequency governor."""
    path = root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    try:
        name = path.read_text().strip()
    except OSError:
        return Finding("frequency governor", "none to be seen (a virtual machine's host decides)")
    if name == "performance":
        return Finding("frequency governor", name)
    governors = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    advice = f"the clock changes with the load; as root: `echo performance | tee {governors}`"
    return Finding("frequency governor", name, advice)


def idle_cpus(root: Path = ROOT) -> Finding:
    """Check whether idle CPUs can be kept from sleeping."""
    if can_keep_awake(root):
        return Finding("idle CPUs", "kept awake while a run measures, unless --no-awake is given")
    if has_idle_driver(root):
        advice = (
            f"let runs keep them awake, until the next boot; as root: `chown {os.getuid()} /{DEVICE}`"
            if (root / DEVICE).exists()
            else f"/{DEVICE}, which keeps them awake, is not here; containers get it by `docker run --device /{DEVICE}`"
        )
        return Finding("idle CPUs", "sleep; waking one can take longer than a command, and differs each time", advice)
    return Finding("idle CPUs", "whether they sleep cannot be seen or changed on this system")


def swap(root: Path = ROOT) -> Finding:
    """Check whether swap is in use."""
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
    except OSError:
        return Finding("swap", "cannot be seen on this system")
    sizes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
    used_mb = (sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)) // 1024
    if used_mb > 0:
        return Finding(
            "swap",
            f"{used_mb:,} MB in use",
            "a page that comes back from swap takes milliseconds; as root: `swapoff -a`",
        )
    return Finding("swap", "none in use")


def other_load(sleep: Callable[[float], None] = time.sleep, root: Path = ROOT) -> list[Finding]:
    """Watch the machine while we do nothing: other processes, and what the hypervisor takes."""
    stat = root / "proc/stat"
    before, began = machine_cpu(stat), time.monotonic_ns()
    sleep(LOAD_SAMPLE_S)
    after, elapsed_ns = machine_cpu(stat), max(1, time.monotonic_ns() - began)
    if before is None or after is None:
        return [Finding("other load", "cannot be seen on this system")]
    busy = (after.busy_ns - before.busy_ns) / elapsed_ns * 100
    stolen = (after.stolen_ns - before.stolen_ns) / elapsed_ns * 100
    return [_busy(busy), _stolen(stolen)]


def _busy(percent: float) -> Finding:
    found = f"{percent:.0f} % of one CPU"
    if percent > BUSY_PERCENT:
        return Finding("other load", found, "stop what else is running; it moves figures in either direction")
    return Finding("other load", found)


def _stolen(percent: float) -> Finding:
    found = f"{percent:.0f} % of one CPU"
    if percent > STOLEN_PERCENT:
        return Finding(
            "CPU taken by the hypervisor", found, "this machine shares its CPUs: use more rounds, or another machine"
        )
    return Finding("CPU taken by the hypervisor", found)


def claims(lacking: Mapping[str, str]) -> list[Finding]:
    """Report which published claims cannot be measured here; `lacking` says why, by their ids."""
    by_reason: dict[str, list[str]] = {}
    for claim, why in lacking.items():
        by_reason.setdefault(why, []).append(f"`{claim}`")
    found = [(", ".join(ids), why) for why, ids in by_reason.items()]
    unmeasured = [Finding("published claims", f"{ids}: cannot be measured here", f"{ids}: {why}") for ids, why in found]
    return unmeasured or [Finding("published claims", "all can be measured here")]


def quick_warnings(plan: Plan) -> list[str]:
    """Return the warnings about this machine for a run's manifest."""
    catalogue = Catalogue()
    server_here = any(is_here(catalogue.target(name)) for name in plan.settings.servers.values())
    runners = max(cell.shape.processes for cell in plan.cells)
    findings = [cpu_count(len(available_cpus()), runners, server_here=server_here)]
    findings += [governor(), idle_cpus(), swap(), *other_load()]
    return [finding.warning for finding in findings if finding.advice]


GIB: Final = 2**30
CONNECTIONS_BESIDE: Final = 20
"""The harness's own connections to a server, and the files of a server that does not have as many as it asked for."""
SMALL_RUN: Final = 16 * 2**20
"""Runs that write less are not refused for lack of disk: needs are estimates, and a small run is soon repeated."""


@dataclass(frozen=True)
class Room:
    """What is available, in bytes; None if unknown."""

    memory: int | None
    disk: int | None
    files: int | None = None
    """How many files, connections among them, a process may open."""


def room_at(folder: Path) -> Room:
    """Return what is available for a run whose folder is to be made there."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return Room(available_memory_bytes(), shutil.disk_usage(there).free, most_files())


def connection_limit(spec: TargetSpec, root: Path = Path("/")) -> int | None:
    """Return how many connections a server that respmark starts takes; None if that is not known."""
    if not isinstance(spec, SpawnedTarget):
        return None
    most = int(spec.settings.get("maxclients", MAX_CLIENTS))
    with contextlib.suppress(OSError, ValueError):
        first, last = map(int, (root / "proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        most = most if spec.transport == "unix" else min(most, last - first + 1)
    return min(most, most_files())


def check_room(
    needed: Needs, room: Room, *, server_here: bool, limits: Mapping[str | None, int | None] = MappingProxyType({})
) -> None:
    """Refuse, with a NothingRanError, a run for which there is not enough room; `limits` are servers' connections."""
    memory = needed.runners + (needed.server if server_here else 0)
    advice = "choose fewer clients, or a smaller --scale or --workload"
    if room.memory is not None and memory > room.memory:
        keys = f", {_gib(needed.server)} of it for the server with the workload's keys" if server_here else ""
        raise NothingRanError(
            f"the run needs about {_gib(memory)} of memory{keys}; there are {_gib(room.memory)}: {advice}"
        )
    if room.files is not None and needed.files + FILES_BESIDE > room.files:
        raise NothingRanError(
            f"a client opens {needed.files:,} connections, and a process may open {room.files:,} files here: raise the "
            "limit (`ulimit -Hn`, as root), or choose fewer --threads or --max-total"
        )
    for server, connections in needed.connections.items():
        if (limit := limits.get(server)) is not None and connections + CONNECTIONS_BESIDE > limit:
            raise NothingRanError(
                f"the clients of a block open {connections:,} connections to {server or 'the server'}, which takes "
                f"{limit:,}: measure fewer clients at a time, or name it with more ([maxclients=…]) and over a unix "
                "socket ([transport=unix]), which needs no ports"
            )
    if room.disk is not None and needed.disk > max(room.disk, SMALL_RUN):
        raise NothingRanError(
            f"the run writes about {_gib(needed.disk)}; there are {_gib(room.disk)} on the disk: {advice}, or --out"
        )


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
