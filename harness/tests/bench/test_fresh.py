"""Processes that live for a round beside fresh ones."""

import pytest

from bench.fresh import FRESH, both_ways, lines, within
from respmark.figures.compare import Ratio
from tests.builders.plan import planned
from tests.figures.test_comparisons import comparison


def test_every_cell_is_measured_beside_itself() -> None:
    """In a block of its own, in as many rounds; the process that lives for the round is the baseline."""
    usual = planned("quick", clients=("redis-py", "jedis"), scenarios=("sync", "threads"), rounds=3)
    plan = both_ways(usual)
    assert [len(block.trials) for block in plan.rounds] == [2] * 12
    for block in plan.rounds:
        shared, fresh = (trial.cell for trial in block.trials)
        assert fresh.client.name == shared.client.name + FRESH
        assert (fresh.client.library, fresh.client.options) == (shared.client.library, shared.client.options)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(0.98, 1.02, "yes"), (0.9, 1.1, "not shown"), (1.04, 1.1, "no"), (0.9, 0.96, "no"), (0.98, 1.05, "not shown")],
)
def test_a_difference_above_three_percent_is_shown_by_its_interval(low: float, high: float, found: str) -> None:
    assert within(Ratio(value=(low + high) / 2, low=low, high=high)) == found


def test_the_table_has_a_row_for_each_client_and_scenario() -> None:
    """Ratios are of the process that lives for the round to the fresh one: the inverse of how they were compared."""
    plan = both_ways(planned("quick", clients=("redis-py",), scenarios=("sync",)))
    (_, fresh) = (trial.cell for trial in plan.rounds[0].trials)
    *_, row = lines({cell.id: cell for cell in plan.cells}, {fresh.id: comparison(1.0)})
    assert row.startswith("| redis-py | sync | 0.500 (0.495..0.505) | 0.500 ")
