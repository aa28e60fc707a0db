"""CPU as control groups count it."""

from pathlib import Path

import pytest

from respmark.runners.compose import CpuCounter, counter_of


@pytest.mark.parametrize(
    ("groups", "file", "content", "version"),
    [
        # The group's path stands in the line of the controller, its folder may have two names.
        ("9:name=systemd:/\n2:cpu,cpuacct:/docker/abc\n0::/\n", "cpuacct/docker/abc/cpuacct.usage", "1500000\n", 1),
        ("0::/docker/abc\n", "docker/abc/cpu.stat", "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n", 2),
    ],
)
def test_cpu_time_is_read(tmp_path: Path, groups: str, file: str, content: str, version: int) -> None:
    """Version 1 counts nanoseconds, version 2 microseconds; a group that is gone counts nothing."""
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text(groups)
    assert counter_of(7, tmp_path) is None  # as where the kernel is that of a virtual machine
    path = tmp_path / "sys/fs/cgroup" / file
    path.parent.mkdir(parents=True)
    path.write_text(content)
    path.with_name("cgroup.procs").write_text("41\n42\n")
    counter = counter_of(7, tmp_path)
    assert counter == CpuCounter(path, version)
    assert (counter.read_ns(), counter.pids()) == (1_500_000, [41, 42])
    for gone in (path, path.with_name("cgroup.procs")):
        gone.unlink()
    assert (counter.read_ns(), counter.pids(), counter_of(8, tmp_path)) == (None, [], None)
