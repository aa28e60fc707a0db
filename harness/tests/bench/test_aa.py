"""A client against itself."""

import random

from bench.aa import false_claims, lines
from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Trial
from respmark.statistics.blocks import Comparison, comparisons_of
from tests.builders.plan import make_client
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


def test_equals_claim_nothing() -> None:
    """Every copy but the first is a comparison; without intervals nothing is claimed either."""
    assert false_claims(compared(50, 50, 50)) == 0
    assert next(lines(compared(50, 50, 50))) == "0 of 2 comparisons claim a difference (5% allowed)"
    assert false_claims(compared(50, 25, rounds=1)) == 0
