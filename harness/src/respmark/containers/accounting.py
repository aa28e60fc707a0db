"""A container's CPU as its control group (version 1 or 2) counts it, beside what the runner says about itself."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CpuCounter:
    """The counter of one control group."""

    file: Path
    version: int

    def read_ns(self) -> int | None:
        """Return the CPU time so far; None if the group is gone."""
        try:
            text = self.file.read_text()
        except OSError:
            return None
        if self.version == 1:
            return int(text)
        return int(dict(line.split() for line in text.splitlines())["usage_usec"]) * 1000

    def pids(self) -> list[int]:
        """Return the processes of the group, by their IDs on this machine; none if the group is gone."""
        try:
            return [int(word) for word in (self.file.parent / "cgroup.procs").read_text().split()]
        except OSError:
            return []


def counter_of(pid: int, root: Path = Path("/")) -> CpuCounter | None:
    """Return the counter of a process's control group; None if the process does not run on this machine's kernel."""
    try:
        lines = (root / f"proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    groups = {names: path.lstrip("/") for _, names, path in (line.split(":", 2) for line in lines)}
    known = [
        CpuCounter(root / "sys/fs/cgroup" / folder / path / "cpuacct.usage", 1)
        for names, path in groups.items()
        if "cpuacct" in names.split(",")
        for folder in (names, "cpuacct")
    ]
    if not known and "" in groups:
        known = [CpuCounter(root / "sys/fs/cgroup" / groups[""] / "cpu.stat", 2)]
    return next((counter for counter in known if counter.file.is_file()), None)
