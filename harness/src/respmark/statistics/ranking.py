"""Which clients of a scenario, shape and workload are the fastest: all pairs that took turns are one family.

No client is picked by its figure and compared afterwards: the fastest are those that no other is shown to be faster
than, with claims corrected for all pairs together (Holm). The answer is therefore the same for every baseline, and if
no difference is shown between several clients, none of them is called the best.
"""

from math import log
from typing import Final

from respmark.contract.base import Message, PositiveCount
from respmark.statistics.blocks import Blocks, CountedCells, ShownRatio
from respmark.statistics.pairs import Pairs, pairs_of

RPS: Final = "rps"


class Standing(Message):
    """How a cell's throughput stands among the cells of its scenario, shape and workload that took turns with it."""

    place: PositiveCount
    """By estimate, from 1; a difference between two places is claimed only if `faster` says so."""
    faster: list[str]
    """Clients that are shown to be faster; if there are none, it is one of the fastest."""
    faster_of_language: list[str]
    """Those of the same language among them; if there are none, it is one of the language's fastest."""
    is_tied: bool
    """Whether it is one of several fastest: no difference between them is shown."""
    leader: str
    """The client with the highest estimate among the fastest."""
    ratio: ShownRatio | None
    """Ratio to the leader; null for the leader itself, and for a client that has no laps in common with it."""
    is_claimed: bool
    """Whether there are intervals at all: with one round nothing can be shown."""

    @property
    def is_fastest(self) -> bool:
        """Return whether no client is shown to be faster."""
        return not self.faster

    @property
    def is_fastest_of_language(self) -> bool:
        """Return whether no client of its language is shown to be faster."""
        return not self.faster_of_language


def standings_of(blocks: Blocks, looks: int = 1) -> dict[str, Standing]:
    """Return the standing of each cell that was compared with another or is alone in its row, by cell.

    `looks` is as in `comparisons_of`.
    """
    counted = {cell_id: found for cells in blocks.values() for cell_id, found in cells.items()}
    standings: dict[str, Standing] = {}
    for row in pairs_of(blocks, looks=looks, metrics=(RPS,)):
        standings |= _standings(row, counted)
    return standings


def _standings(row: Pairs, counted: CountedCells) -> dict[str, Standing]:
    ratios = row.by_metric[RPS]
    compared = [cell_id for cell_id in row.cells if len(row.cells) == 1 or any(cell_id in pair for pair in ratios)]
    order = sorted(compared, key=lambda cell_id: -_estimate(cell_id, row))
    faster = {cell_id: [other for other in order if _is_faster(row, other, cell_id)] for cell_id in order}
    # If laps are missing, pairs are of different laps, and claims may contradict each other in a circle.
    leader = next((cell_id for cell_id in order if not faster[cell_id]), order[0] if order else "")
    return {
        cell_id: Standing(
            place=place,
            faster=[_client(counted, other) for other in faster[cell_id]],
            faster_of_language=[
                _client(counted, other) for other in faster[cell_id] if _same_language(counted, other, cell_id)
            ],
            is_tied=not faster[cell_id] and sum(not others for others in faster.values()) > 1,
            leader=_client(counted, leader),
            ratio=row.ratio(RPS, cell_id, leader),
            is_claimed=any(ratio.low is not None for ratio in ratios.values()),
        )
        for place, cell_id in enumerate(order, start=1)
    }


def _is_faster(row: Pairs, one: str, other: str) -> bool:
    ratio = row.ratio(RPS, one, other)
    return ratio is not None and ratio.shown and ratio.value > 1


def _estimate(cell_id: str, row: Pairs) -> float:
    """Return the mean logarithm of a cell's ratios to all cells."""
    known = [log(ratio.value) for other in row.cells if (ratio := row.ratio(RPS, cell_id, other))]
    return sum(known) / (len(known) + 1)


def _client(counted: CountedCells, cell_id: str) -> str:
    return counted[cell_id].client.name


def _same_language(counted: CountedCells, one: str, other: str) -> bool:
    return counted[one].language == counted[other].language
