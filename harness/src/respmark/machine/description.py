"""Describes this machine, for the manifest."""

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

from respmark.contract.base import Message
from respmark.machine.cpus import available_cpus


class Machine(Message):
    """The machine on which a run was made."""

    cpu_model: str
    cpus: int
    """Processors that this process may use."""
    memory_bytes: int
    kernel: str
    architecture: str
    operating_system: str
    frequency_governor: str | None
    """Null if the kernel has none (virtual machines)."""
    hypervisor: bool
    """Whether the processors say that they are virtual."""
    container: str | None
    """`docker`, `podman`, `kubernetes`, ...; null if none was detected."""


def this_machine(root: Path = Path("/")) -> Machine:
    """Return what the kernel reports about this machine; `root` is for tests."""
    cpuinfo = _text(root / "proc/cpuinfo")
    return Machine(
        cpu_model=_field(cpuinfo, "model name") or platform.processor() or "unknown",
        cpus=len(available_cpus()),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        kernel=f"{platform.system()} {platform.release()}",
        architecture=platform.machine(),
        operating_system=_field(_text(root / "etc/os-release"), "PRETTY_NAME") or platform.platform(),
        frequency_governor=_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip() or None,
        hypervisor="hypervisor" in (_field(cpuinfo, "flags") or "").split(),
        container=next(_containers(root), None),
    )


def _containers(root: Path) -> Iterator[str]:
    """Yield the containers around this process; marks alone prove nothing: images of virtual machines may have them."""
    if _on_a_disk(_text(root / "proc/mounts")):
        return
    marks = {"docker": root / ".dockerenv", "podman": root / "run/.containerenv"}
    yield from (name for name, mark in marks.items() if mark.exists())
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        yield "kubernetes"
    groups = _text(root / "proc/1/cgroup")
    yield from (name for name in ("docker", "kubepods", "containerd", "lxc") if name in groups)


def _on_a_disk(mounts: str) -> bool:
    return any(line.startswith("/dev/") and line.split()[1] == "/" for line in mounts.splitlines())


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _field(text: str, name: str) -> str | None:
    found = re.search(rf'^{name}\s*[:=]\s*"?([^"\n]*)', text, re.MULTILINE)
    return found[1].strip() if found else None
