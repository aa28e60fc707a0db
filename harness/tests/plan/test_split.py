"""Blocks that are too large become several that share a client."""

from itertools import pairwise
from typing import Any

import pytest

from respmark import kinds
from respmark.contract.trial import Fault, Scenario
from respmark.plan.claims import MOST_CELLS
from respmark.plan.estimate import estimate_s
from respmark.plan.faults import MOST_TOGETHER
from respmark.plan.needs import CALLER_PART, MIB, needed_bytes
from respmark.plan.plan import Plan, PlannedCell, parts_lines
from respmark.plan.split import split
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED, make_cell, make_client, planned
from tests.fakes import RUNNERS

VERSIONS = ("3.5.3", *(f"4.{minor}.0" for minor in range(7)), "5.0.8", "6.4.0", "7.4.0", "8.1.0")


def series(control: str = "redis-py@3.5.3", **request: Any) -> Plan:  # noqa: ANN401 - a request's fields
    return planned("versions", clients=tuple(f"redis-py@{one}" for one in VERSIONS), control=control, **request)


def blocks_of(cells: list[PlannedCell] | tuple[PlannedCell, ...]) -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    for cell in cells:
        if cell.unsupported is None:
            blocks.setdefault(cell.block, []).append(cell.client.name.partition("@")[2])
    return blocks


def test_every_block_has_the_control_first_and_all_neighbours_share_one() -> None:
    plan = series()
    blocks = list(blocks_of(plan.cells).values())
    assert [len(block) for block in blocks] == [7, 7]
    assert {block[0] for block in blocks} == {"3.5.3"}
    assert all(any(set(pair) <= set(block) for block in blocks) for pair in pairwise(VERSIONS))
    assert {version for block in blocks for version in block} == set(VERSIONS)
    assert len({cell.id for cell in plan.cells}) == len(plan.cells)
    assert plan.control == "redis-py@3.5.3"
    assert plan.parts == {}


def test_eight_releases_are_one_block() -> None:
    """Their cells have the names that they have in any other run."""
    cells = [make_cell(make_client(f"lib@{number}")) for number in range(1, MOST_CELLS + 1)]
    made = split(cells, RUNNERS, control="lib@3")
    assert [cell.client.name for cell in made] == ["lib@3", *(f"lib@{one}" for one in (1, 2, 4, 5, 6, 7, 8))]
    assert {cell.id for cell in made} == {cell.id for cell in cells}


def test_the_newest_release_can_be_the_control() -> None:
    for block in blocks_of(series(control="redis-py@8.1.0").cells).values():
        assert block[0] == "8.1.0"
        assert sorted(block[1:]) == block[1:]


def test_blocks_are_smaller_where_memory_is_short() -> None:
    """Down to the control and two neighbours."""
    process = RUNNERS["python"].memory_mib * MIB
    for room, largest in ((5 * process, 5), (process, 3)):
        sizes = [len(block) for block in blocks_of(series(memory_bytes=room).cells).values()]
        assert max(sizes) == largest
        assert sum(sizes) == len(VERSIONS) - 1 + 2 * len(sizes) - 1


def test_a_scenario_that_came_later_has_another_control() -> None:
    """The oldest release that has it; those that lack it keep their cells, with the reason."""
    asyncio = tuple(f"redis-py@{one}[api=asyncio]" for one in VERSIONS)
    plan = planned("versions", clients=asyncio, control=asyncio[0], scenarios=(Scenario.BATCHING,))
    assert {block[0].partition("[")[0] for block in blocks_of(plan.cells).values()} == {"4.2.0"}
    assert len(plan.unsupported) == 3


def test_workloads_servers_and_round_trips_have_blocks_of_their_own() -> None:
    """Releases are compared in each place."""
    places = {
        "workloads": ("get", "set"),
        "servers": ("spawned", "valkey@9.1"),
        "shape": ShapeAxes(rtt_ms=(0, 1)),
    }
    for name, several in places.items():
        plan = planned(
            "versions", clients=("redis-py@3.5.3", "redis-py@4.6.0"), control="redis-py@3.5.3", **{name: several}
        )
        assert sorted(map(len, blocks_of(plan.cells).values())) == [2, 2]


@pytest.mark.parametrize("library", ["redis-py", "node-redis", "jedis", "predis", "stackexchange-redis"])
def test_twelve_releases_in_one_scenario_take_less_than_six_minutes(library: str) -> None:
    """By the plan's own estimate, or by the minutes in which it fits rounds and laps."""
    clients = tuple(f"{library}@6.{one}.0" for one in range(12))
    plan = planned("versions", clients=clients, control=clients[0])
    assert len({cell.client.name for cell in plan.cells}) == 12
    minutes = plan.settings.minutes
    assert minutes is not None
    assert min(estimate_s(plan, SHIPPED.runners, kinds.block_estimate_s), minutes * 60) < 360
    assert minutes < 6


def test_more_releases_have_more_minutes() -> None:
    """As many times as they have cells; rounds or laps that were asked for have no limit."""
    clients = tuple(f"redis-py@4.{minor}.{patch}" for minor in range(7) for patch in range(4))
    plan = planned("versions", clients=clients, control=clients[0])
    assert plan.settings.minutes == pytest.approx(5.5 * len(plan.cells) / 14)
    assert planned("versions", clients=clients, control=clients[0], laps=3).settings.minutes is None


def test_without_a_control_a_plan_is_no_series() -> None:
    """A suite's minutes and blocks are as they were."""
    plan = planned("versions", clients=("redis-py@3.5.3", "redis-py"))
    assert plan.control is None
    assert plan.settings.minutes == 5.5


def test_a_block_that_does_not_fit_into_memory_is_split() -> None:
    """Each part has the first client, under a name of its own, and no part is larger than allowed."""
    whole = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1)
    limit = needed_bytes((trial.cell for trial in whole.trials), SHIPPED.runners) // 2
    parts = planned("quick", scenarios=(Scenario.BATCHING,), rounds=1, memory_bytes=limit)
    assert len(parts.rounds) > 1
    for block in parts.rounds:
        assert whole.trials[0].cell.client.name in {trial.cell.client.name for trial in block.trials}
        assert needed_bytes((trial.cell for trial in block.trials), SHIPPED.runners) <= limit
    assert len({cell.id for cell in parts.cells}) == len(parts.cells) == len(whole.cells) + len(parts.rounds) - 1
    assert {client.name for client in parts.clients} == {client.name for client in whole.clients}
    assert planned("quick", memory_bytes=2**50) == planned("quick")


def test_memory_splits_a_question_by_place() -> None:
    """All clients of a place stay together, and the plan says what is not compared."""
    limit = 3 * SHIPPED.runners["python"].memory_mib * MIB
    made = planned(
        clients=("redis-py", "redis-py[parser=python]"),
        scenarios=(Scenario.SYNC,),
        workloads=("get", "mget"),
        memory_bytes=limit,
    )
    assert {(cell.workload, cell.block) for cell in made.cells} == {("get", "sync"), ("mget", "sync--part=2")}
    (line,) = parts_lines(made)
    assert line.startswith("sync is measured in 2 parts: ")


def test_of_faults_as_many_trials_need_memory_as_run_side_by_side_each_with_its_callers() -> None:
    """Callers of PHP are ten processes, of which each has few commands."""
    (cell,) = planned("faults", clients=("phpredis",), shape=ShapeAxes(fault=(Fault.RESET,))).cells
    alone = needed_bytes([cell], SHIPPED.runners)
    of_one = SHIPPED.runners["php"].memory_mib * MIB
    assert (cell.processes, alone) == (10, of_one + 9 * of_one // CALLER_PART)
    assert needed_bytes([cell] * 30, SHIPPED.runners) == MOST_TOGETHER * alone
