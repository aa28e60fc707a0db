"""Keeps idle CPUs awake.

While a client waits for a reply, its CPU is idle; while the next command is on its way, the server's CPU is. Waking a
sleeping CPU can take longer than the command, and can count as its CPU time. On a virtual machine, the hypervisor does
it, and takes a different time each time (docs/statistics.md has figures).
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from respmark.errors import InvalidRequestError

DEVICE: Final = Path("dev/cpu_dma_latency")
"""While a process holds it open and has written 0, no CPU enters a state that takes time to leave. This ends with the
process, at the latest (Linux, Documentation/power/pm_qos_interface.rst)."""
DRIVER: Final = Path("sys/devices/system/cpu/cpuidle/current_driver")
NO_TIME: Final = struct.pack("i", 0)
"""The longest time, in microseconds, that waking a CPU may take."""
ROOT: Final = Path("/")


def has_idle_driver(root: Path = ROOT) -> bool:
    """Return whether the kernel chooses idle states here, and can be asked to choose none that sleeps."""
    try:
        return (root / DRIVER).read_text().strip() not in {"", "none"}
    except OSError:
        return False


def can_keep_awake(root: Path = ROOT) -> bool:
    """Return whether this process may keep CPUs awake, and whether that has an effect."""
    return has_idle_driver(root) and os.access(root / DEVICE, os.W_OK) and not (root / DEVICE).is_dir()


@contextmanager
def kept_awake(root: Path = ROOT) -> Iterator[None]:
    """Keep all CPUs of this machine awake."""
    if not has_idle_driver(root):
        raise InvalidRequestError("CPUs cannot be kept awake here: the kernel has no cpuidle driver; leave out --awake")
    try:
        device = os.open(root / DEVICE, os.O_WRONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InvalidRequestError(
            f"CPUs cannot be kept awake here: {root / DEVICE}: {error.strerror}; leave out --awake, or let this user "
            "write that file"
        ) from error
    try:
        os.write(device, NO_TIME)
        yield
    finally:
        os.close(device)
