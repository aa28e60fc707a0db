"""What a plan takes of time, memory and disk, by arithmetic."""

from dataclasses import replace

import pytest

from respmark.plan.needs import PROCESS_S, TURN_S, block_estimate_s, estimate_s, needed_bytes, needs
from respmark.plan.trial import BlockRound, Cell, Trial
from tests.builders.plan import SHIPPED, planned

GIB = 2**30
RUNNERS = SHIPPED.runners


def test_a_block_takes_starts_warm_ups_and_laps() -> None:
    """The estimate is the sum of the parts, for each of its trials, by its runner; a warm-up has a limit."""
    plan = planned("quick", laps=4, slice_s=0.5, lead_in_s=0.25, warmup_limit_s=60.0)
    for block in plan.rounds:
        cells = [trial.cell for trial in block.trials]
        runners = [RUNNERS[cell.client.runner] for cell in cells]
        further = sum(cell.shape.processes - 1 for cell in cells) * PROCESS_S
        own = sum(runner.start_s + runner.warm_up_s for runner in runners)
        laps = len(cells) * 4 * (0.75 + TURN_S)
        assert block_estimate_s(plan, block, RUNNERS) == pytest.approx(own + further + laps)
    plans = [planned(warmup_limit_s=limit_s) for limit_s in (0.5, 0.0)]
    with_it, without = (estimate_s(plan, RUNNERS) for plan in plans)
    assert with_it - without == pytest.approx(len(plans[0].trials) * 0.5)


@pytest.mark.parametrize(
    ("suite", "scale", "seconds"),
    [("quick", None, 480), ("smoke", None, 30), ("post", "smoke", 300), ("post", "default", 3600)],
)
def test_suites_take_no_longer_than_they_say(suite: str, scale: str | None, seconds: int) -> None:
    """By the plan's own estimate; sizes of a suite measure the same cells."""
    plan = planned(suite, scale=scale)
    assert estimate_s(plan, RUNNERS) < seconds
    assert [cell.id for cell in plan.cells] == [cell.id for cell in planned(suite).cells]


def test_the_full_size_of_the_post_is_the_posts() -> None:
    """Ten minutes a test, on its keys."""
    settings = planned("post", scale="full").settings
    assert settings.rounds * settings.laps * settings.slice_s == 600
    assert (settings.workload.mix[0].keys, settings.workload.preload_keys) == (3_750_000, 3_000_000)


def test_the_server_holds_the_keys_of_one_block_at_a_time() -> None:
    """Of several workloads the largest counts; a block that compares workloads needs room for all of its own."""
    post, quick = SHIPPED.workload("post"), SHIPPED.workload("quick")
    plan = planned("smoke", scenarios=("sync",), clients=("redis-py",))
    (cell,) = plan.cells
    settings = replace(plan.settings, workload=quick, other_workloads=(post,))
    both = (cell, replace(cell, workload="post"))

    def server(*blocks: tuple[Cell, ...]) -> int:
        rounds = tuple(BlockRound("b", 1, tuple(Trial(cell, 1) for cell in block)) for block in blocks)
        return needs(replace(plan, settings=settings, cells=both, rounds=rounds), RUNNERS).server

    one, other = server(both[:1]), server(both[1:])
    assert one < GIB / 8 < 3 * GIB < other < 4 * GIB
    assert server(both[:1], both[1:]) == other
    assert server(both) == one + other - server()


def test_runners_and_disk_hold_the_largest_block_and_every_slice() -> None:
    """Blocks follow each other; twice the laps are nearly twice the files."""
    plan = planned("smoke")
    blocks = [needed_bytes((trial.cell for trial in block.trials), RUNNERS) for block in plan.rounds]
    assert needs(plan, RUNNERS).runners == max(blocks)
    once, twice = (needs(planned("quick", laps=laps), RUNNERS).disk for laps in (100, 200))
    assert 1.8 < twice / once < 2
