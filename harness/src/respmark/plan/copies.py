"""A plan that compares a client with itself (A/A): any difference that it finds is a false one."""

from dataclasses import replace
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.plan.trial import BlockRound, Cell, Plan, Trial

COPIES: Final = 6
"""Copies in a block, as many as a block of different clients has clients; one of them is the baseline."""


def against_itself(plan: Plan, comparisons: int) -> Plan:
    """Return a plan with `comparisons` comparisons, or a few more, of a plan's first supported cell with itself.

    Raises:
        InvalidRequestError: no comparison is asked for.
    """
    if comparisons < 1:
        message = "--comparisons must be at least 1"
        raise InvalidRequestError(message)
    cell = next(cell for cell in plan.cells if cell.unsupported is None)
    blocks = [_copies(cell, number) for number in range(1, -(-comparisons // (COPIES - 1)) + 1)]
    rounds = [
        BlockRound(block[0].block, number, tuple(Trial(cell, number) for cell in block))
        for number in range(1, plan.settings.rounds + 1)
        for block in blocks
    ]
    cells = tuple(cell for block in blocks for cell in block)
    # Every block as long as the others: the suite's minutes are those of other cells.
    return replace(plan, settings=replace(plan.settings, minutes=None), cells=cells, rounds=tuple(rounds))


def _copies(cell: Cell, block: int) -> tuple[Cell, ...]:
    return tuple(replace(cell, block_name=f"itself-{block}", copy=copy) for copy in range(1, COPIES + 1))
