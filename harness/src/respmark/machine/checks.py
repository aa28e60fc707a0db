"""What about this machine could distort a measurement. `root` is for tests."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark.machine.awake import DEVICE, can_keep_awake, has_idle_driver
from respmark.machine.cpus import available_cpus
from respmark.machine.load import SINCE_START, Watch


@dataclass(frozen=True)
class CheckResult:
    """One thing that was looked at, on this machine or at a server."""

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


def cpu_count(available: int, runners: int, *, servers_here: int) -> CheckResult:
    """Compare the number of processors with the number of processes that are busy at the same time."""
    needed = runners + servers_here
    servers = {0: "", 1: " and the server"}.get(servers_here, f" and {servers_here} nodes of the server")
    busy = f"{runners} runner process{'es' if runners > 1 else ''}{servers}"
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


def quick_warnings(runners: int, *, servers_here: int) -> list[str]:
    """Return the warnings about this machine for the manifest of a run with so many runner processes at a time."""
    findings = [cpu_count(len(available_cpus()), runners, servers_here=servers_here)]
    findings += [governor(), idle_cpus(), swap(), *other_load(SINCE_START)]
    return [finding.warning for finding in findings if finding.advice]
