"""What a plan needs of memory and disk, by arithmetic."""

from dataclasses import replace

import pytest

from respmark.plan.estimate import estimate_s
from respmark.plan.memory import needed_bytes
from respmark.plan.needs import needs
from respmark.plan.trial import BlockRound, Cell, Trial
from tests.builders.plan import SHIPPED, planned

GIB = 2**30


def test_the_server_holds_the_workloads_keys() -> None:
    """The post's three million values of a kibibyte are more than three gibibytes, the tables' two orders less."""
    post, quick = (needs(planned("quick", workload=name), SHIPPED.runners).server for name in ("post", "quick"))
    assert 3 * GIB < post < 4 * GIB
    assert quick < GIB / 8


def test_the_server_holds_one_blocks_keys_at_a_time() -> None:
    """Of several workloads the largest counts; a block that compares workloads needs room for all of its own."""
    post, quick = SHIPPED.workload("post"), SHIPPED.workload("quick")
    plan = planned("smoke", scenarios=("sync",), clients=("redis-py",))
    (cell,) = plan.cells
    settings = replace(plan.settings, workload=quick, other_workloads=(post,))
    both = (cell, replace(cell, workload="post"))

    def server(*blocks: tuple[Cell, ...]) -> int:
        rounds = tuple(BlockRound("b", 1, tuple(Trial(cell, 1) for cell in block)) for block in blocks)
        return needs(replace(plan, settings=settings, cells=both, rounds=rounds), SHIPPED.runners).server

    one, other = server(both[:1]), server(both[1:])
    assert server(both[:1], both[1:]) == other > one
    assert server(both) == one + other - server()


def test_runners_need_what_the_largest_block_does() -> None:
    """Blocks follow each other."""
    plan = planned("smoke")
    blocks = [needed_bytes((trial.cell for trial in block.trials), SHIPPED.runners) for block in plan.rounds]
    assert needs(plan, SHIPPED.runners).runners == max(blocks)


def test_the_disk_holds_every_slice() -> None:
    """Twice the laps are nearly twice the files."""
    once, twice = (needs(planned("quick", laps=laps), SHIPPED.runners).disk for laps in (100, 200))
    assert 1.8 < twice / once < 2


@pytest.mark.parametrize(("scale", "minutes"), [("smoke", 5), ("default", 60)])
def test_the_posts_sizes_take_no_longer_than_they_say(scale: str, minutes: int) -> None:
    """By the plan's own estimate; all of them measure the same cells."""
    plan = planned("post", scale=scale)
    assert estimate_s(plan, SHIPPED.runners) < minutes * 60
    assert [cell.id for cell in plan.cells] == [cell.id for cell in planned("post").cells]


def test_the_full_size_is_the_posts() -> None:
    """Ten minutes a test on its keys."""
    plan = planned("post", scale="full")
    settings = plan.settings
    assert settings.rounds * settings.laps * settings.slice_s == 600
    assert (settings.workload.mix[0].keys, settings.workload.preload_keys) == (3_750_000, 3_000_000)
