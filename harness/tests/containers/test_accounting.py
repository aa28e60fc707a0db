"""CPU as control groups count it."""

from pathlib import Path

import pytest

from respmark.containers.accounting import CpuCounter, counter_of


@pytest.mark.parametrize(
    ("groups", "file", "content", "counter_version"),
    [
        # The group's path stands in the line of the controller, its folder may have two names.
        ("9:name=systemd:/\n2:cpu,cpuacct:/docker/abc\n0::/\n", "cpuacct/docker/abc/cpuacct.usage", "1500000\n", 1),
        ("0::/docker/abc\n", "docker/abc/cpu.stat", "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n", 2),
    ],
)
def test_cpu_time_is_read(tmp_path: Path, groups: str, file: str, content: str, counter_version: int) -> None:
    """Version 1 counts nanoseconds, version 2 microseconds in a file that has more than that."""
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text(groups)
    path = tmp_path / "sys/fs/cgroup" / file
    path.parent.mkdir(parents=True)
    path.write_text(content)
    counter = counter_of(7, tmp_path)
    assert counter == CpuCounter(path, counter_version)
    assert counter.read_ns() == 1_500_000


def test_the_processes_of_a_group_are_known(tmp_path: Path) -> None:
    """By their numbers here; a group that is gone has none."""
    counter = CpuCounter(tmp_path / "cpu.stat", 2)
    assert counter.pids() == []
    (tmp_path / "cgroup.procs").write_text("41\n42\n")
    assert counter.pids() == [41, 42]


def test_where_the_kernel_is_another_machines_there_is_no_counter(tmp_path: Path) -> None:
    """Docker Desktop runs containers in a virtual machine."""
    assert counter_of(7, tmp_path) is None
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("0::/not/mounted/here\n")
    assert counter_of(7, tmp_path) is None


def test_a_group_that_is_gone_counts_nothing(tmp_path: Path) -> None:
    """The container may end first."""
    assert CpuCounter(tmp_path / "cpu.stat", 2).read_ns() is None
