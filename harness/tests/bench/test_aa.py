"""A client against itself."""

import random

import pytest

from bench.aa import against_itself, false_claims, lines
from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.plan.trial import Cell, Trial
from respmark.statistics.blocks import Comparison, comparisons_of
from tests.builders.plan import make_client, planned
from tests.builders.records import make_record, make_run, make_slice_record


def compared(*speeds: int, rounds: int = 4) -> list[Comparison]:
    chance = random.Random(5)  # noqa: S311 - not for secrets
    records = [
        make_record(
            Trial(Cell(make_client(), Scenario.SYNC, Shape(), None, block_name="itself-1", copy=copy), number),
            slices=[make_slice_record(round(speed * 100 * chance.gauss(1, 0.02)), lap) for lap in range(1, 6)],
        )
        for number in range(1, rounds + 1)
        for copy, speed in enumerate(speeds, start=1)
    ]
    return list(comparisons_of(make_run(*records).blocks).values())


def test_blocks_of_copies() -> None:
    """Five comparisons a block, as many blocks as that takes, in every round; at least one."""
    one = planned("quick", clients=("redis-py[parser=hiredis]",), scenarios=(Scenario.SYNC,), rounds=2)
    plan = against_itself(one, comparisons=12)
    assert [len(block.trials) for block in plan.rounds] == [6] * 6
    assert [block.round for block in plan.rounds] == [1, 1, 1, 2, 2, 2]
    assert len({trial.id for trial in plan.trials}) == 36
    with pytest.raises(InvalidRequestError, match="--comparisons must be at least 1"):
        against_itself(one, 0)


def test_equals_claim_nothing() -> None:
    """Every copy but the first is a comparison; without intervals nothing is claimed either."""
    assert false_claims(compared(50, 50, 50)) == 0
    assert next(lines(compared(50, 50, 50))) == "0 of 2 comparisons claim a difference (5% allowed)"
    assert false_claims(compared(50, 25, rounds=1)) == 0
