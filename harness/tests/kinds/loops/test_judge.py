"""The record of a slice: what runners claim, what the server and the kernel counted, and whether they agree."""

import numpy as np
import pytest

from respmark.contract.lines import CacheCounts
from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.judge import waits_ns
from tests.builders.plan import make_trial
from tests.fakes import FakeRunner
from tests.kinds.loops.conftest import World

SECOND_NS = 10**9


def test_a_slice_is_counted_with_and_without_its_lead_in(world: World) -> None:
    """A quarter of the commands, and a fifth of the time, belong to the lead-in."""
    found = world.slice(lead_in_s=0.25)
    assert (found.units, found.operations, found.commands) == (75, 75, 100)
    assert (found.elapsed_ns, found.client_cpu_ns, found.slice_cpu_ns) == (
        SECOND_NS,
        SECOND_NS // 2,
        SECOND_NS * 5 // 8,
    )
    assert (found.lasted_ns, found.outside_ns, found.together_ns) == (SECOND_NS * 5 // 4 + 2000, 2000, None)


def test_a_batch_is_one_unit_of_many_commands(world: World) -> None:
    """Its latency is that of the whole batch."""
    world.executor.units = 6
    found = world.slice(make_trial(Scenario.BATCHING, Shape(depth=10)))
    assert (found.reason, found.units, found.operations) == (None, 6, 60)
    assert (found.p50_ns, found.p99_ns) == (SECOND_NS / 6, SECOND_NS / 6)


def test_processes_are_added_up_from_the_first_ones_beginning_to_the_last_ones_end(world: World) -> None:
    """CPU, commands and waits; time is not."""
    first, second = world.record(make_trial(shape=Shape(processes=2))).slices
    assert (first.operations, first.client_cpu_ns, first.elapsed_ns) == (200, SECOND_NS, SECOND_NS)
    assert (first.waited_ns, second.waited_ns, second.waiting_cpu_ns) == (0, 4000, 0)


def test_processes_that_begin_one_after_the_other_overlap_in_part(world: World) -> None:
    """The second begins a quarter of a second after the first, and ends as much later."""

    def late(runner: FakeRunner, step: str) -> None:
        if (step, runner.request.part) == ("worked", 1):
            world.node.begun_ns += SECOND_NS // 4

    found = world.slice(make_trial(shape=Shape(processes=2)), before=late)
    assert (found.elapsed_ns, found.together_ns) == (SECOND_NS * 5 // 4, SECOND_NS * 3 // 4)


@pytest.mark.parametrize("misses", [10, 20])
def test_what_a_local_cache_did_is_there(world: World, misses: int) -> None:
    """GETs that it answered are not expected of the server."""
    world.executor.changes = {"cache": CacheCounts(hits=None, misses=misses, invalidations=3)}
    found = world.slice(make_trial(Scenario.CACHING, Shape(cache_entries=10)))
    assert (found.local_misses, found.local_invalidations) == (misses, 3)
    assert f"GET {misses} claimed, {found.local_reads} seen" in (found.reason or "")


@pytest.mark.parametrize(
    ("sent", "ended", "waited"),
    [
        ([10, 20, 30], [11, 22, 33], [1, 2, 3]),
        ([10], [2, 4, 6, 8, 10, 12], [2]),
        ([10, 11, 12], [20, 30], [10, 19]),
        ([10, 31], [20, 30], [10]),
        ([], [20, 30], []),
        ([10], [], []),
    ],
    ids=["blocking", "polling", "backlog", "too late", "none came", "none was taken"],
)
def test_each_element_is_taken_by_the_first_unit_that_ends_after_it(
    sent: list[int], ended: list[float], waited: list[float]
) -> None:
    """In their order, one a unit; polls in vain take none."""
    assert waits_ns(sent, np.array(ended, dtype=np.float64)) == waited
