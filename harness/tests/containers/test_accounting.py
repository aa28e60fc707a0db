"""CPU as control groups count it."""

from pathlib import Path

from respmark.containers.accounting import CpuCounter, counter_of


def test_version_1_counts_in_nanoseconds(tmp_path: Path) -> None:
    """The group's path stands in the line of the controller, its folder may have two names."""
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("9:name=systemd:/\n2:cpu,cpuacct:/docker/abc\n0::/\n")
    folder = tmp_path / "sys/fs/cgroup/cpuacct/docker/abc"
    folder.mkdir(parents=True)
    (folder / "cpuacct.usage").write_text("123456789\n")
    counter = counter_of(7, tmp_path)
    assert counter == CpuCounter(folder / "cpuacct.usage", 1)
    assert counter.read_ns() == 123456789


def test_version_2_counts_in_microseconds(tmp_path: Path) -> None:
    """Its file has more than that."""
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("0::/system.slice/docker-abc.scope\n")
    folder = tmp_path / "sys/fs/cgroup/system.slice/docker-abc.scope"
    folder.mkdir(parents=True)
    (folder / "cpu.stat").write_text("usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n")
    counter = counter_of(7, tmp_path)
    assert counter == CpuCounter(folder / "cpu.stat", 2)
    assert counter.read_ns() == 1_500_000


def test_where_the_kernel_is_another_machines_there_is_no_counter(tmp_path: Path) -> None:
    """Docker Desktop runs containers in a virtual machine."""
    assert counter_of(7, tmp_path) is None
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("0::/not/mounted/here\n")
    assert counter_of(7, tmp_path) is None


def test_a_group_that_is_gone_counts_nothing(tmp_path: Path) -> None:
    """The container may end first."""
    assert CpuCounter(tmp_path / "cpu.stat", 2).read_ns() is None
