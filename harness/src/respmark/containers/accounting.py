"""A container's CPU as its control group counts it, versions 1 and 2, beside what the runner says of itself."""

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SAMPLE_S: Final = 0.005
"""Between two readings after the window's time, until the runner's result tells when exactly the window ended."""


@dataclass(frozen=True)
class CpuCounter:
    """The counter of one control group."""

    file: Path
    version: int

    def read_ns(self) -> int | None:
        """Return the CPU time so far; None where the group is gone."""
        try:
            text = self.file.read_text()
        except OSError:
            return None
        if self.version == 1:
            return int(text)
        fields = dict(line.split() for line in text.splitlines())
        return int(fields["usage_usec"]) * 1000


def counter_of(pid: int, root: Path = Path("/")) -> CpuCounter | None:
    """Find the counter of a process's control group; None where this machine's kernel does not run the process."""
    try:
        lines = (root / f"proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    groups = {names: path for _, names, path in (line.split(":", 2) for line in lines)}
    for names, path in groups.items():
        if "cpuacct" in names.split(","):
            folders = (root / "sys/fs/cgroup" / folder for folder in (names, "cpuacct"))
            return _first(CpuCounter(folder / path.lstrip("/") / "cpuacct.usage", 1) for folder in folders)
    if "" in groups:
        return _first([CpuCounter(root / "sys/fs/cgroup" / groups[""].lstrip("/") / "cpu.stat", 2)])
    return None


def _first(counters: Iterable[CpuCounter]) -> CpuCounter | None:
    return next((counter for counter in counters if counter.file.is_file()), None)


class CpuWatch:
    """Reads a counter when the window begins, and often from when it should end until the runner has said its result.

    The runner tells how long its window really was; what the counter stood at then lies between two readings.
    """

    def __init__(self, read: Callable[[], int | None], clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._read = read
        self._clock = clock
        self._times: list[int] = []
        self._values: list[int] = []
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, measure_s: float) -> None:
        """Take the first reading; the others come by themselves."""
        self.sample()
        self._thread = threading.Thread(target=self._follow, args=(measure_s,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Take the last reading."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self.sample()

    def sample(self) -> None:
        """Take a reading."""
        value = self._read()
        if value is not None:
            self._times.append(self._clock())
            self._values.append(value)

    def used_ns(self, elapsed_ns: int) -> int | None:
        """Return what was used from the first reading on, for so long; None: there is nothing to tell from."""
        if len(self._times) < 2:  # noqa: PLR2004 - a difference needs two
            return None
        moment = self._times[0] + elapsed_ns
        after = min(max(1, bisect_left(self._times, moment)), len(self._times) - 1)
        before = after - 1
        span = self._times[after] - self._times[before]
        share = min(1.0, max(0.0, (moment - self._times[before]) / span)) if span else 1.0
        value = self._values[before] + share * (self._values[after] - self._values[before])
        return round(value) - self._values[0]

    def _follow(self, measure_s: float) -> None:
        self._ended.wait(measure_s)
        while not self._ended.is_set():
            self.sample()
            self._ended.wait(SAMPLE_S)
