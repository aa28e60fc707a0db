"""The runtime's own health over a window, and the memory it took."""

import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final, Self

BYTES_PER_KIB: Final = 1024


class GarbageCollection:
    """Counts collections and their pauses while it is entered."""

    def __init__(self) -> None:
        self.collections = 0
        self.pause_ns = 0
        self._began_ns = 0

    def __enter__(self) -> Self:
        gc.callbacks.append(self._on_collection)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._on_collection)

    def _on_collection(self, phase: str, _info: dict[str, Any]) -> None:
        if phase == "start":
            self._began_ns = perf_counter_ns()
        else:
            self.collections += 1
            self.pause_ns += perf_counter_ns() - self._began_ns


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make millions of objects without the collector walking through them again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def set_aside_own_objects() -> None:
    """Take what exists now out of the collector's sight.

    The collector stays on, as users have it; but the materialised workload is ours, and no collection in the window
    should have to walk through it.
    """
    gc.collect()
    gc.freeze()


def peak_memory_bytes() -> int:
    """Return the peak resident set of this process.

    On Linux it is the kernel's mark for this program: what getrusage says includes the process that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * BYTES_PER_KIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * BYTES_PER_KIB
