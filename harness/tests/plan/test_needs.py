"""What a plan needs of memory and disk, by arithmetic."""

import pytest

from respmark.plan.estimate import estimate_s
from respmark.plan.memory import needed_bytes
from respmark.plan.needs import needs
from respmark.results.untrusted import FOLDER_LIMIT
from tests.builders import SHIPPED, planned

GIB = 2**30


def test_the_server_holds_the_workloads_keys() -> None:
    """The post's three million values of a kibibyte are more than three gibibytes, the tables' two orders less."""
    post, quick = (needs(planned("quick", workload=name), SHIPPED.runners).server for name in ("post", "quick"))
    assert 3 * GIB < post < 4 * GIB
    assert quick < GIB / 8


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
    """Ten minutes a test on its keys, in files that reports still read."""
    plan = planned("post", scale="full")
    settings = plan.settings
    assert settings.rounds * settings.laps * settings.slice_s == 600
    assert (settings.workload.mix[0].keys, settings.workload.preload_keys) == (3_750_000, 3_000_000)
    assert needs(plan, SHIPPED.runners).disk < FOLDER_LIMIT
