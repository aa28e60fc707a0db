"""What a plan takes of time, memory and disk, by arithmetic."""

from dataclasses import replace

import pytest

from respmark.plan.needs import CALLS, estimate_s, needs
from respmark.plan.trial import BlockRound, Cell, Trial
from tests.builders.plan import SHIPPED, planned
from tests.fakes import RUNNERS

GIB = 2**30


@pytest.mark.parametrize(
    ("suite", "seconds"),
    [("quick", 600), ("smoke", 30), ("post-smoke", 300), ("post", 4200), ("practices", 1320)],
)
def test_suites_take_no_longer_than_they_say(suite: str, seconds: int) -> None:
    """By the plan's own estimate."""
    assert estimate_s(planned(suite), RUNNERS) < seconds


def test_every_call_of_a_load_generator_takes_time() -> None:
    """Of those before the first lap, too; memtier_benchmark ends at a whole second each time."""

    def seconds(client: str) -> float:
        return estimate_s(planned("drivers", clients=(client,), workloads=("get",)), SHIPPED.runners)

    trials, laps = 3, 4
    longer_s = seconds("memtier_benchmark") - seconds("redis-benchmark")
    assert longer_s == pytest.approx(trials * (CALLS + laps) * (0.9 - 0.03))


def test_the_server_holds_the_keys_of_one_block_at_a_time() -> None:
    """Of several workloads the largest counts; a block that compares workloads needs room for all of its own."""
    post, quick = SHIPPED.workload("post"), SHIPPED.workload("quick")
    plan = planned("smoke", scenarios=("sync",), clients=("redis-py",))
    (cell,) = plan.cells
    settings = replace(plan.settings, workloads={"quick": quick, "post": post})
    both = (cell, replace(cell, workload="post"))

    def server(*blocks: tuple[Cell, ...]) -> int:
        rounds = tuple(BlockRound("b", 1, tuple(Trial(cell, 1) for cell in block)) for block in blocks)
        return needs(replace(plan, settings=settings, cells=both, rounds=rounds), RUNNERS).server

    one, other = server(both[:1]), server(both[1:])
    assert one < GIB / 8 < 3 * GIB < other < 4 * GIB
    assert server(both[:1], both[1:]) == other
    assert server(both) == one + other - server()
