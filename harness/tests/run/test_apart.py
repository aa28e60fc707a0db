"""A client that works with one thread keeps off the server's CPU."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from respmark.machine.placement import available_cpus
from respmark.run.apart import busy_thread, keep_apart


@pytest.mark.parametrize(
    ("before", "after", "thread"),
    [
        ({1: 10, 2: 500}, {1: 110, 2: 540}, 1),
        # A compiler's thread that came and one that only waits.
        ({1: 10}, {1: 110, 2: 50, 3: 0}, 1),
        # Two that work together.
        ({1: 0, 2: 0}, {1: 60, 2: 40}, None),
        ({1: 5}, {1: 5}, None),
        (None, {1: 5}, None),
        ({1: 5}, None, None),
    ],
)
def test_who_works_alone_is_known_by_the_kernels_count(
    before: dict[int, int] | None, after: dict[int, int] | None, thread: int | None
) -> None:
    """Twice as much as all others together."""
    assert busy_thread(before, after) == thread


@pytest.fixture
def processes() -> Iterator[tuple[int, int]]:
    with subprocess.Popen(["sleep", "600"]) as client, subprocess.Popen(["sleep", "600"]) as server:
        yield client.pid, server.pid
        client.kill()
        server.kill()


def test_a_busy_thread_keeps_off_the_servers_cpu(processes: tuple[int, int]) -> None:
    """Unless the server may use every CPU, is elsewhere, or several threads are busy; with the real kernel."""
    client, server = processes
    here = available_cpus()
    for thread, pid in ((client, server), (None, server), (client, None)):
        assert not keep_apart(thread, pid)
    assert os.sched_getaffinity(client) == here
    os.sched_setaffinity(server, {min(here)})
    assert keep_apart(client, server) is (len(here) > 1)
    assert os.sched_getaffinity(client) == (here - {min(here)} or here)
