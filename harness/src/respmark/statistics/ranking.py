"""Which clients of a scenario and shape are the fastest: every pair of those that took turns, in one family.

Nobody is picked by a figure and then compared: the fastest are those that no other is shown to be faster than, where
all pairs are claimed together (Holm). So the answer is the same whatever the baseline is, and of several clients
between which no difference is shown none is called the best.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from respmark.contract.base import Message, PositiveCount
from respmark.records import TrialRecord
from respmark.results.version1 import TrialRecord1
from respmark.statistics.blocks import ShownRatio, blocks_of, series_of
from respmark.statistics.compare import Prior, Ratio, Rounds, confidence_of, prior_of, ratio_of, rounds_of, with_claims
from respmark.statistics.figures import throughput


class Standing(Message):
    """How a cell's throughput stands among the cells of its scenario and shape that took turns with it."""

    place: PositiveCount
    """By estimate, from 1; a difference between two places is claimed only where `faster` says so."""
    faster: list[str]
    """Clients that are shown to be faster; none: it is one of the fastest."""
    faster_of_language: list[str]
    """Those of the same language among them; none: it is one of the language's fastest."""
    is_tied: bool
    """Whether it is one of several fastest: no difference between them is shown."""
    leader: str
    """The client with the highest estimate among the fastest."""
    ratio: ShownRatio | None
    """To the leader; null for the leader itself, and for one that has no laps in common with it."""
    is_claimed: bool
    """Whether there are intervals at all: with one round nothing can be shown."""

    @property
    def is_fastest(self) -> bool:
        """Tell whether no client is shown to be faster."""
        return not self.faster

    @property
    def is_fastest_of_language(self) -> bool:
        """Tell whether no client of its language is shown to be faster."""
        return not self.faster_of_language


Pair = tuple[str, str]
"""Two cells; the ratio is the first's to the second's."""
Counted = Mapping[str, Sequence[TrialRecord]]
"""The records that count, by cell."""


@dataclass(frozen=True)
class _Group:
    """The cells of one scenario and shape that took turns."""

    cells: Counted
    pairs: Mapping[Pair, Rounds]


def standings_of(records: Iterable[TrialRecord | TrialRecord1], looks: int = 1) -> dict[str, Standing]:
    """Return how each cell stands that was compared with another or is alone, by cell.

    `looks` is as in `comparisons_of`.
    """
    groups = [_group(cells) for block in blocks_of(records).values() for cells in _by_shape(block)]
    # The same as that of the tables, which compare each block with its first client.
    prior = prior_of(rounds for group in groups for rounds in _with_first(group))
    found: dict[str, Standing] = {}
    for group in groups:
        found |= _standings(group, prior, confidence_of(looks))
    return found


def _by_shape(block: Counted) -> Iterable[Counted]:
    """Split a block, which can hold several scenarios and shapes."""
    found: defaultdict[tuple[str, str], dict[str, Sequence[TrialRecord]]] = defaultdict(dict)
    for cell_id, records in block.items():
        found[records[0].scenario, records[0].shape.model_dump_json()][cell_id] = records
    return found.values()


def _group(cells: Counted) -> _Group:
    series = {cell_id: series_of(records, throughput) for cell_id, records in cells.items()}
    pairs = {(one, other): rounds_of(series[one], series[other]) for one, other in combinations(cells, 2)}
    return _Group(cells, {pair: rounds for pair, rounds in pairs.items() if rounds is not None})


def _with_first(group: _Group) -> list[Rounds]:
    first = next(iter(group.cells))
    return [rounds for (one, _), rounds in group.pairs.items() if one == first]


def _standings(group: _Group, prior: Prior, confidence: float) -> dict[str, Standing]:
    ratios = [ratio_of(rounds, prior, confidence) for rounds in group.pairs.values()]
    both = dict(zip(group.pairs, with_claims(ratios, confidence), strict=True))
    both |= {(other, one): _inverse(ratio) for (one, other), ratio in both.items()}
    compared = [cell_id for cell_id in group.cells if len(group.cells) == 1 or any(cell_id in pair for pair in both)]
    order = sorted(compared, key=lambda cell_id: -_estimate(cell_id, group.cells, both))
    faster = {
        cell_id: [other for other in order if (ratio := both.get((other, cell_id))) and ratio.shown and ratio.value > 1]
        for cell_id in order
    }
    # Where laps are missing, pairs are of different laps: then claims may go round in a circle.
    leader = next((cell_id for cell_id in order if not faster[cell_id]), order[0] if order else "")
    return {
        cell_id: Standing(
            place=place,
            faster=[_client(group, other) for other in faster[cell_id]],
            faster_of_language=[
                _client(group, other) for other in faster[cell_id] if _same_language(group, other, cell_id)
            ],
            is_tied=not faster[cell_id] and sum(not others for others in faster.values()) > 1,
            leader=_client(group, leader),
            ratio=_shown(both.get((cell_id, leader))),
            is_claimed=any(ratio.low is not None for ratio in ratios),
        )
        for place, cell_id in enumerate(order, start=1)
    }


def _estimate(cell_id: str, cells: Counted, ratios: Mapping[Pair, Ratio]) -> float:
    """Return the mean logarithm of a cell's ratios to all cells."""
    known = [log(ratio.value) for other in cells if (ratio := ratios.get((cell_id, other)))]
    return sum(known) / (len(known) + 1)


def _inverse(ratio: Ratio) -> Ratio:
    low, high = (None if end is None else 1 / end for end in (ratio.high, ratio.low))
    return Ratio(1 / ratio.value, low, high, ratio.p_value, ratio.shown)


def _shown(ratio: Ratio | None) -> ShownRatio | None:
    if ratio is None:
        return None
    return ShownRatio(value=ratio.value, low=ratio.low, high=ratio.high, shown=ratio.shown)


def _client(group: _Group, cell_id: str) -> str:
    return group.cells[cell_id][0].client.name


def _same_language(group: _Group, one: str, other: str) -> bool:
    return group.cells[one][0].language == group.cells[other][0].language
