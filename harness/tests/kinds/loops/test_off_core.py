"""A client that works with one thread keeps off the server's CPU."""

import os
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from respmark.contract.trial import Scenario
from respmark.kinds.loops.off_core import Busiest, busiest, keep_off_server
from respmark.machine.cpus import available_cpus, keep_off
from respmark.run.processes import TrialProcesses
from respmark.run.state import RunState
from respmark.specs.one_thread import ONE_THREAD, OneThread
from tests.builders.plan import make_trial


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({1: 10, 2: 500}, {1: 110, 2: 540}, Busiest(1, works_alone=True)),
        # A compiler's thread that came and one that only waits.
        ({1: 10}, {1: 110, 2: 50, 3: 0}, Busiest(1, works_alone=True)),
        # Two that work together.
        ({1: 0, 2: 0}, {1: 60, 2: 40}, Busiest(1, works_alone=False)),
        ({1: 5}, {1: 5}, None),
        (None, {1: 5}, None),
        ({1: 5}, None, None),
    ],
)
def test_who_works_alone_is_known_by_the_kernels_count(
    before: dict[int, int] | None, after: dict[int, int] | None, found: Busiest | None
) -> None:
    """Twice as much as all others together."""
    assert busiest(before, after) == found


@pytest.fixture
def processes() -> Iterator[tuple[int, int]]:
    with subprocess.Popen(["sleep", "600"]) as client, subprocess.Popen(["sleep", "600"]) as server:
        yield client.pid, server.pid
        client.kill()
        server.kill()


def test_a_busy_thread_keeps_off_the_servers_cpu(processes: tuple[int, int]) -> None:
    """Unless the server may use every CPU; with the real kernel."""
    client, server = processes
    here = available_cpus()
    assert not keep_off(client, server)
    assert os.sched_getaffinity(client) == here
    os.sched_setaffinity(server, {min(here)})
    assert keep_off(client, server) is (len(here) > 1)
    assert os.sched_getaffinity(client) == (here - {min(here)} or here)


UNKNOWN = OneThread()
"""No client was ever measured."""


class Client:
    """A trial whose threads work as a test says."""

    def __init__(self, after: dict[int, int], server: int, one_thread: OneThread = UNKNOWN) -> None:
        self.bed = SimpleNamespace(one_thread=one_thread)
        self.in_use = SimpleNamespace(server=SimpleNamespace(pid=server))
        self.runners = [SimpleNamespace(keep_off=keep_off)]
        self.trial = make_trial()
        self.after = after

    def threads_ns(self) -> dict[int, int]:
        return self.after


@pytest.mark.skipif(len(available_cpus()) == 1, reason="client and server share the only CPU")
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_first_round_of_a_cell_decides_for_all(processes: tuple[int, int], share: float) -> None:
    """A client whose threads work alike in one round and not in the next has the same place in both."""
    client, server = processes
    os.sched_setaffinity(server, {min(available_cpus())})
    state = RunState()

    def place(of_busiest: float) -> bool:
        after = {client: round(1000 * of_busiest), client + 10**6: round(1000 * (1 - of_busiest)) - 1}
        found = cast("TrialProcesses", Client(after, server))
        return keep_off_server(found, state, dict.fromkeys(after, 0))

    first = state.off_core[make_trial().cell.id] = place(share)
    assert first is (share > ONE_THREAD)
    assert place(1.4 - share) is first


@pytest.mark.skipif(len(available_cpus()) == 1, reason="client and server share the only CPU")
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_what_is_known_of_a_client_decides_in_every_run(processes: tuple[int, int], share: float) -> None:
    """However its threads work in the first round."""
    client, server = processes
    os.sched_setaffinity(server, {min(available_cpus())})
    known = OneThread({Scenario.SYNC: {"lib": share}})
    after = {client: round(1000 * (1.4 - share)), client + 10**6: round(1000 * (share - 0.4)) - 1}
    found = cast("TrialProcesses", Client(after, server, known))
    assert keep_off_server(found, RunState(), dict.fromkeys(after, 0)) is (share > ONE_THREAD)


def test_threads_of_several_processes_are_told_apart() -> None:
    """Two hosts may have a thread of the same number."""
    hosts = [SimpleNamespace(host=None, threads_ns=lambda ns=ns: {5: ns}) for ns in (10, 20)]
    found = TrialProcesses.threads_ns(cast("TrialProcesses", SimpleNamespace(runners=hosts)))
    assert found is not None
    assert sorted(found.values()) == [10, 20]
    assert found[5] == 10
