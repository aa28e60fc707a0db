"""The runtime's own health, and the process's peak memory."""

import gc
import resource
import sys
from pathlib import Path
from time import monotonic_ns
from typing import Any, Final

BYTES_PER_KIB: Final = 1024


class GarbageCollection:
    """Counts collections and their pauses from the moment it is made."""

    def __init__(self) -> None:
        self.restart()
        gc.callbacks.append(self._on_collection)

    def restart(self) -> None:
        """Start counting again."""
        self.collections = self.pause_ns = self._began_ns = 0

    def _on_collection(self, phase: str, _info: dict[str, Any]) -> None:
        if phase == "start":
            self._began_ns = monotonic_ns()
        else:
            self.collections += 1
            self.pause_ns += monotonic_ns() - self._began_ns


def peak_memory_bytes() -> int:
    """Return the peak resident set of this process.

    On Linux it is the kernel's mark for this program: getrusage would report its parent's peak if that was higher.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * BYTES_PER_KIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * BYTES_PER_KIB
