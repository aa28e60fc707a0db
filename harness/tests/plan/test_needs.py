"""What a plan takes of time, memory and disk, by arithmetic."""

from dataclasses import replace

import pytest

from respmark import kinds
from respmark.kinds.loops.duration import CALLS
from respmark.plan.estimate import estimate_s
from respmark.plan.needs import SERVER_BYTES, Needs, needs
from respmark.plan.plan import PlannedCell
from tests.builders.plan import SHIPPED, planned
from tests.fakes import RUNNERS

GIB = 2**30
SPAWNED = SHIPPED.server("spawned")


@pytest.mark.parametrize(
    ("suite", "seconds"),
    [("quick", 600), ("smoke", 30), ("post-smoke", 300), ("post", 4200), ("practices", 1320)],
)
def test_suites_take_no_longer_than_they_say(suite: str, seconds: int) -> None:
    """By the plan's own estimate."""
    assert estimate_s(planned(suite), RUNNERS, kinds.block_estimate_s) < seconds


def test_every_call_of_a_load_generator_takes_time() -> None:
    """Of those before the first lap, too; memtier_benchmark ends at a whole second each time."""

    def seconds(client: str) -> float:
        plan = planned("drivers", clients=(client,), workloads=("get",))
        return estimate_s(plan, SHIPPED.runners, kinds.block_estimate_s)

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

    def server(*blocks: tuple[PlannedCell, ...]) -> int:
        cells = [replace(cell, block_name=f"b{number}") for number, block in enumerate(blocks) for cell in block]
        return needs(replace(plan, settings=settings, cells=tuple(cells)), RUNNERS, {cell.server: SPAWNED}).server

    one, other = server(both[:1]), server(both[1:])
    assert one < GIB / 8 < 3 * GIB < other < 4 * GIB
    assert server(both[:1], both[1:]) == other
    assert server(both) == one + other - server()


def test_every_node_of_a_server_counts() -> None:
    """For itself, with the connections that clients keep to each; every copy of the keys counts, too."""
    plan = planned("quick", scenarios=("pool",), clients=("redis-py",))
    (name,) = plan.settings.servers
    threads = max(cell.shape.threads or 1 for cell in plan.cells)

    def found(primaries: int | None, replicas: int = 0) -> Needs:
        spec = SPAWNED.model_copy(update={"primaries": primaries, "replicas": replicas})
        return needs(plan, RUNNERS, {name: spec})

    one = found(None)
    keys = one.server - SERVER_BYTES
    assert keys > SERVER_BYTES / 4
    assert found(1) == one
    assert found(3).server == 3 * SERVER_BYTES + keys
    assert found(3, 1).server == 6 * SERVER_BYTES + 2 * keys
    assert [found(*nodes).connections[name] for nodes in ((1,), (3,), (3, 1))] == [threads, 3 * threads, 6 * threads]
