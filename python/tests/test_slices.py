"""The slices: the loops stop in time, count what they did, and mix nothing up."""

from pathlib import Path
from threading import active_count

import pytest

from conftest import MakeSlices
from doubles import Adapter, TaskAdapter, order, write_workload
from samples import hand_over

MS = 10**6


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """Return a workload of four GETs."""
    return write_workload(tmp_path, "GET", "GET", "GET", "GET")


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_failed_units_count_by_class_and_not_as_units(
    make_slices: MakeSlices, workload: Path, adapter: type[Adapter]
) -> None:
    """The next slice goes on; the first error's text is shortened."""

    def fail(_name: str, key: str) -> None:
        raise {"k0": LookupError, "k1": ValueError}.get(key, OSError)(key * 1000)

    slices = make_slices(workload, adapter(fail))
    for first, name in enumerate(("LookupError", "ValueError", "OSError")):
        found = slices.work(order(1, first))
        assert found["errors"] == {name: 1}
        assert found["measured"] == [0]
        assert len(found["first_error"]) == 500
        assert found["first_error"].startswith(f"{name}: k{first}k{first}")


def test_each_thread_has_its_walk_and_its_client(make_slices: MakeSlices, workload: Path) -> None:
    """Four threads share two clients; each begins at its own command."""
    slices = make_slices(workload, adapter := Adapter(), "threads", shape={"threads": 4, "connections": 2})
    assert adapter.opened == [2, 2]
    found = slices.work(order(1, *range(4)))
    assert found["measured"] == [1, 1, 1, 1]
    assert sorted(adapter.asked) == [("GET", f"k{i}") for i in range(4)]
    assert hand_over(slices.samples)["counts"] == [4]


def test_the_places_of_a_sliding_window_share_a_walk(make_slices: MakeSlices, workload: Path) -> None:
    """Each takes its next command, and they count together."""
    slices = make_slices(workload, adapter := TaskAdapter(), "pipelining", shape={"depth": 4, "window": "sliding"})
    assert slices.work(order())["measured"] == [4]
    assert sorted(adapter.asked) == [("GET", f"k{i}") for i in range(4)]


def test_a_burst_is_one_unit(make_slices: MakeSlices, workload: Path) -> None:
    """Its commands are issued together, and have one latency."""
    slices = make_slices(workload, adapter := TaskAdapter(), "pipelining", shape={"depth": 4, "window": "burst"})
    assert (slices.work(order())["measured"], len(adapter.asked)) == ([1], 4)
    assert hand_over(slices.samples)["counts"] == [1]


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
def test_a_new_connection_is_closed_after_each_command(
    make_slices: MakeSlices, workload: Path, adapter: type[Adapter]
) -> None:
    """Even if it failed."""
    slices = make_slices(workload, made := adapter(lambda *_words: 1 / 0), "new-connection")
    slices.work(order())
    assert (len(made.asked), made.closed) == (1, 1)


def test_batches_of_several_connections_have_a_walker_each(make_slices: MakeSlices, workload: Path) -> None:
    """Each its own client, thread, and commands."""
    slices = make_slices(workload, made := Adapter(), "batching", shape={"depth": 2, "connections": 3})
    assert made.opened == [1, 1, 1]
    assert slices.work(order(1, 0, 1, 2))["measured"] == [1, 1, 1]
    assert len(made.asked) == 6


def descriptors() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("adapter", [Adapter, TaskAdapter])
@pytest.mark.parametrize("connections", [1, 3])
def test_nothing_is_left_when_a_trial_is_closed(
    make_slices: MakeSlices, workload: Path, adapter: type[Adapter], connections: int
) -> None:
    """Neither threads nor descriptors, which an event loop and its timer have; every client is closed once."""
    before = active_count(), descriptors()
    shape = {"threads": 3, "connections": connections}
    slices = make_slices(workload, made := adapter(), "threads", shape=shape, open=True)
    slices.work(order(1, 0, 1, 2))
    slices.close()
    assert (active_count(), descriptors()) == before
    assert made.closed == connections
