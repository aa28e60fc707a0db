"""CPU as control groups count it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from respmark.containers.accounting import CpuCounter, CpuWatch, counter_of


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


def watch_of(readings: list[tuple[int, int | None]]) -> CpuWatch:
    """Return a watch that has taken these readings of (time, value)."""
    times: Iterator[int] = iter([time for time, value in readings if value is not None])
    values = iter([value for _, value in readings])
    watch = CpuWatch(lambda: next(values), lambda: next(times))
    for _ in readings:
        watch.sample()
    return watch


@pytest.mark.parametrize(
    ("elapsed", "used"),
    [
        (1000, 500),  # exactly at a reading
        (1050, 525),  # in between
        (1100, 550),
        (5000, 550),  # after the last: it is the last
        (0, 0),
    ],
)
def test_what_was_used_lies_between_two_readings(elapsed: int, used: int) -> None:
    """The first reading is where the window began."""
    assert watch_of([(100, 7000), (1100, 7500), (1200, 7550)]).used_ns(elapsed) == used


def test_without_two_readings_there_is_nothing_to_tell() -> None:
    """No guess is made."""
    assert watch_of([]).used_ns(10) is None
    assert watch_of([(0, 5), (1, None)]).used_ns(10) is None


def test_a_watch_reads_when_the_window_begins_and_until_it_is_ended() -> None:
    """In between it sleeps for the window's length."""
    reads = threading.Semaphore(0)

    def read() -> int:
        reads.release()
        return 0

    watch = CpuWatch(read)
    watch.begin(0.0)
    for _ in range(5):
        assert reads.acquire(timeout=30)
    watch.end()
    assert watch.used_ns(1) == 0
    watch.end()
