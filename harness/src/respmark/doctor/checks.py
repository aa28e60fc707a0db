"""The kernel's files, memory and disk; the server's round trip, persistence and other clients. `root` is for tests."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from respmark.errors import TargetError
from respmark.machine.load import SINCE_START, Watch
from respmark.machine.placement import DEVICE, available_cpus, can_keep_awake, has_idle_driver
from respmark.plan.plan import Plan
from respmark.redaction import redacted
from respmark.run.counters import counter
from respmark.servers.control import Control
from respmark.servers.info import Info, info_text


@dataclass(frozen=True)
class CheckResult:
    """One thing that was looked at."""

    subject: str
    found: str
    advice: str | None = None
    """What to do; None: nothing, all is well."""

    @property
    def warning(self) -> str:
        """Return the finding as one sentence for a manifest."""
        return f"{self.subject}: {self.found}; {self.advice}"


BUSY_PERCENT: Final = 10.0
"""The most of one processor that others may use before we begin."""
STOLEN_PERCENT: Final = 2.0
ROOT: Final = Path("/")
PINGS: Final = 5000
WARMUP_PINGS: Final = 500
PING: Final = b"*1\r\n$4\r\nPING\r\n"
PONG: Final = b"+PONG\r\n"


def cpu_count(available: int, runners: int, *, server_here: bool) -> CheckResult:
    """Compare the number of processors with the number of processes that are busy at the same time."""
    needed = runners + (1 if server_here else 0)
    busy = f"{runners} runner process{'es' if runners > 1 else ''}{' and the server' if server_here else ''}"
    found = f"{available} for {needed} busy processes ({busy})"
    if available < needed:
        advice = "they share processors: compare CPU per command, not throughput, or use a larger machine"
        return CheckResult("CPUs", found, advice)
    if available < needed + 1:
        return CheckResult(
            "CPUs", found, "nothing is left for the harness and the system: expect a few percent of noise"
        )
    return CheckResult("CPUs", found)


def shared_core(available: int, *, server_here: bool) -> CheckResult:
    """Report whether server and client must, or may, run on the same processor."""
    if not server_here:
        return CheckResult("server and client", "on different machines")
    if available == 1:
        return CheckResult(
            "server and client", "share the only CPU", "figures show the sum of both; give this machine two CPUs"
        )
    return CheckResult("server and client", f"not pinned, the kernel may place them on any of {available} CPUs")


def governor() -> CheckResult:
    """Check the frequency governor."""
    try:
        name = (ROOT / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").read_text().strip()
    except OSError:
        return CheckResult("frequency governor", "not visible (the virtual machine's host decides)")
    if name == "performance":
        return CheckResult("frequency governor", name)
    governors = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    advice = f"the clock changes with the load; as root: `echo performance | tee {governors}`"
    return CheckResult("frequency governor", name, advice)


def idle_cpus(root: Path = ROOT) -> CheckResult:
    """Check whether idle CPUs can be kept from sleeping."""
    if can_keep_awake(root):
        return CheckResult("idle CPUs", "kept awake during a run, unless --no-awake is given")
    if has_idle_driver(root):
        advice = (
            f"to let runs keep them awake until the next boot, as root: `chown {os.getuid()} /{DEVICE}`"
            if (root / DEVICE).exists()
            else (
                f"/{DEVICE}, which keeps them awake, does not exist; containers get it with `docker run --device "
                f"/{DEVICE}`"
            )
        )
        return CheckResult(
            "idle CPUs", "enter idle states; waking a CPU can take longer than a command, and varies", advice
        )
    return CheckResult("idle CPUs", "idle states cannot be read or changed on this system")


def swap(root: Path = ROOT) -> CheckResult:
    """Check whether swap is in use."""
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
    except OSError:
        return CheckResult("swap", "cannot be read on this system")
    sizes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
    used_mb = (sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)) // 1024
    if used_mb > 0:
        advice = "a page that comes back from swap takes milliseconds; as root: `swapoff -a`"
        return CheckResult("swap", f"{used_mb:,} MB in use", advice)
    return CheckResult("swap", "none in use")


def other_load(since: Watch | None = None) -> list[CheckResult]:
    """Say what other processes use, and what the hypervisor takes, since a look at the machine or from now on."""
    load = (since or Watch()).others()
    if load is None:
        return [CheckResult("other load", "cannot be read on this system")]
    stop = "stop other programs; they change figures in either direction"
    shared = "this machine shares its CPUs: use more rounds, or another machine"
    return [
        CheckResult(
            "other load", f"{load.busy_percent:.0f} % of one CPU", stop if load.busy_percent > BUSY_PERCENT else None
        ),
        CheckResult(
            "CPU time taken by the hypervisor (steal)",
            f"{load.stolen_percent:.0f} % of one CPU",
            shared if load.stolen_percent > STOLEN_PERCENT else None,
        ),
    ]


def claims(lacking: Mapping[str, str]) -> list[CheckResult]:
    """Report which published claims cannot be measured here; `lacking` says why, by their ids."""
    by_reason: dict[str, list[str]] = {}
    for claim, why in lacking.items():
        by_reason.setdefault(why, []).append(f"`{claim}`")
    found = [(", ".join(ids), why) for why, ids in by_reason.items()]
    unmeasured = [
        CheckResult("published claims", f"{ids}: cannot be measured here", f"{ids}: {why}") for ids, why in found
    ]
    return unmeasured or [CheckResult("published claims", "all can be measured here")]


def quick_warnings(plan: Plan, *, server_here: bool) -> list[str]:
    """Return the warnings about this machine for a run's manifest."""
    runners = max(cell.shape.processes for cell in plan.cells)
    findings = [cpu_count(len(available_cpus()), runners, server_here=server_here)]
    findings += [governor(), idle_cpus(), swap(), *other_load(SINCE_START)]
    return [finding.warning for finding in findings if finding.advice]


def round_trip(control: Control, pings: int = PINGS) -> dict[str, float]:
    """Measure PINGs, one after another, on one connection; in milliseconds, as the post's first table has them."""
    for _ in range(min(WARMUP_PINGS, pings)):
        _ping(control)
    samples_ms = np.array([_timed_ping_ns(control) for _ in range(pings)]) / 1e6
    percentiles = {f"p{at}": float(np.percentile(samples_ms, at, method="inverted_cdf")) for at in (50, 95, 99)}
    return {"avg": float(samples_ms.mean()), "min": float(samples_ms.min()), **percentiles}


def _timed_ping_ns(control: Control) -> int:
    began = time.perf_counter_ns()
    _ping(control)
    return time.perf_counter_ns() - began


def _ping(control: Control) -> None:
    control.send_raw(PING)
    received = control.receive_raw(len(PONG))
    while len(received) < len(PONG):
        received += control.receive_raw(len(PONG) - len(received))
    if received != PONG:
        raise TargetError(f"the target answers PING with {redacted(received.decode(errors='replace'))!r}")


PERSISTENCE_OFF: Final = CheckResult("server persistence", "off")
"""The finding for our own server, which does not show its configuration."""


def persistence(control: Control) -> CheckResult:
    """Check for snapshots and the append-only file."""
    try:
        _, save = control.command("CONFIG", "GET", "save")
    except (TargetError, ValueError):
        return CheckResult(
            "server persistence", "not shown to this user", "ask its owner: a snapshot during a slice costs CPU"
        )
    aof = Info.read(info_text(control, "persistence")).count("aof_enabled") == 1
    on = [name for name, active in {"snapshots": bool(save), "append-only file": aof}.items() if active]
    if not on:
        return PERSISTENCE_OFF
    advice = "it costs CPU and stalls at times: `CONFIG SET save ''` and `CONFIG SET appendonly no` for the measurement"
    return CheckResult("server persistence", " and ".join(on), advice)


def other_clients(control: Control) -> CheckResult:
    """Check for other connections to the server."""
    clients = counter(Info.read(info_text(control, "clients")).fields, "connected_clients") - 1
    if clients > 0:
        return CheckResult(
            "other clients of the server",
            str(clients),
            "their commands make trials fail, because the server counts them",
        )
    return CheckResult("other clients of the server", "none")
