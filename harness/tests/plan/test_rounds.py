"""The rounds of a plan: what each has, and in which order."""

import re
from itertools import groupby

import pytest

from tests.builders.plan import planned


def test_the_order_is_random_and_follows_from_the_seed() -> None:
    """The trials are the same; a block does not always come after the same one."""
    first, second = planned("quick", seed=1), planned("quick", seed=2)
    assert first == planned("quick", seed=1)
    ids = [[trial.id for trial in plan.trials] for plan in (first, second)]
    assert ids[0] != ids[1]
    assert sorted(ids[0]) == sorted(ids[1])
    rounds = [[block.name for block in first.rounds if block.round == number] for number in (1, 2, 3)]
    assert rounds[0] != rounds[1] != rounds[2]


def test_blocks_of_the_same_workloads_come_one_after_the_other() -> None:
    """The keys of a workload are written once in a round; which workload comes first is random."""
    plan = planned("practices")
    orders = []
    for number in (1, 2):
        blocks = (block for block in plan.rounds if block.round == number)
        orders.append(
            [names for names, _ in groupby(blocks, lambda block: {one.cell.workload for one in block.trials})]
        )
    assert all(order.count(names) == 1 for order in orders for names in order)
    assert orders[0] != orders[1]


@pytest.mark.parametrize("suite", ["smoke", "quick", "full", "fidelity"])
def test_every_supported_cell_stands_once_in_every_round(suite: str) -> None:
    """Rounds come one after the other; each trial has a name of its own that is fit for files."""
    plan = planned(suite)
    supported = {cell.id for cell in plan.cells if cell.unsupported is None}
    each = len(supported)
    assert len(plan.trials) == each * plan.settings.rounds
    for number in range(plan.settings.rounds):
        part = plan.trials[number * each : (number + 1) * each]
        assert {trial.round for trial in part} == {number + 1}
        assert {trial.cell.id for trial in part} == supported
    names = [*(trial.id for trial in plan.trials), *(cell.id for cell in plan.cells)]
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9.=@+_-]{1,200}", name) for name in names)
