"""Which clients of a row are the best: all pairs that took turns are one family; a run's cells with how they compare.

No client is picked by its figure and compared afterwards: the best are those that no other is shown to be better
than, with claims corrected for all pairs together (Holm). The answer is therefore the same for every baseline, and if
no difference is shown between several clients, none of them is called the best.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log

from respmark.contract.base import Message, PositiveCount
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change, by_cell, changes, per_base, per_block, per_row
from respmark.figures.estimate import Ratio
from respmark.figures.kind import FigureKind
from respmark.figures.pairing import of_each_row, rows_of, to_baseline, to_first_conditions

EachOther = Mapping[tuple[str, str], Change]
"""The changes of all pairs of a run's rows, by the IDs of the two cells."""


def each_other(run: RunFigures) -> EachOther:
    """Return how the cells of every row compare with each other."""
    return {(one.new.cell_id, one.base.cell_id): one for one in changes(of_each_row(rows_of(run)), per_row)}


def ratio_between(found: EachOther, metric: str, cell: str, base: str) -> Ratio | None:
    """Return the ratio of a cell to another one; None if they have no lap in common."""
    for pair, turned in (((cell, base), False), ((base, cell), True)):
        if pair in found and metric in found[pair].ratios:
            ratio = found[pair].ratios[metric]
            return ratio.inverse if turned else ratio
    return None


class Standing(Message):
    """How a cell stands among those of its scenario, shape and workload that took turns with it, in its main figure."""

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
    ratio: Ratio | None
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


def is_ranked(cell: Cell) -> bool:
    """Return whether a cell has a standing.

    With a rate it has none, also where the highest rate is looked for: its throughput was asked for. Reference drivers
    have none: nobody can choose them.
    """
    return cell.shape.rate is None and cell.is_library


def standings_of(run: RunFigures) -> dict[str, Standing]:
    """Return the standing of each ranked cell that was compared or is alone in its row.

    "Faster" is better in what stands for the kind's figures, such as throughput.
    """
    rows = rows_of(run, is_ranked)
    pairs = changes(of_each_row(rows), per_row, (run.kind.main,))
    found = {(one.new.cell_id, one.base.cell_id): one for one in pairs}
    return {cell_id: standing for row in rows for cell_id, standing in _standings(row, found, run.kind)}


def _standings(row: Sequence[Cell], found: EachOther, kind: FigureKind) -> Iterator[tuple[str, Standing]]:
    cells = {cell.cell_id: cell for cell in row}
    names = {key: cell.unversioned_subject for key, cell in cells.items()}
    ratios = {
        one: {other: ratio for other in cells if (ratio := ratio_between(found, kind.main, one, other))}
        for one in cells
    }
    compared = [one for one in cells if ratios[one] or len(cells) == 1]
    means = {one: sum(log(ratio.value) for ratio in of.values()) / (len(of) + 1) for one, of in ratios.items()}
    order = sorted(compared, key=lambda one: means[one], reverse=not kind.compared[kind.main].is_cost)
    faster = {
        one: [other for other in order if (ratio := ratios[other].get(one)) and _is_better(kind, ratio)]
        for one in order
    }
    fastest = [one for one in order if not faster[one]]
    for place, one in enumerate(order, start=1):
        # If laps are missing, pairs are of different laps, and claims may contradict each other in a circle.
        leader, language = (fastest or order)[0], cells[one].language
        yield (
            one,
            Standing(
                place=place,
                faster=[names[other] for other in faster[one]],
                faster_of_language=[names[other] for other in faster[one] if cells[other].language == language],
                is_tied=not faster[one] and len(fastest) > 1,
                leader=names[leader],
                ratio=ratios[one].get(leader),
                is_claimed=any(ratio.low is not None for of in ratios.values() for ratio in of.values()),
            ),
        )


def _is_better(kind: FigureKind, ratio: Ratio) -> bool:
    return ratio.shown and kind.is_better(kind.main, ratio.value)


def cells_of(run: RunFigures, baseline: str | None = None) -> list[Cell]:
    """Return the cells of a run in the suite's order, compared with a client, by default each block's first."""
    comparisons = by_cell(to_baseline(run, baseline), per_base)
    conditions = by_cell(to_first_conditions(run), per_block)
    standings = standings_of(run)
    return [
        replace(
            cell,
            comparison=comparisons.get(cell.cell_id),
            change=conditions.get(cell.cell_id),
            standing=standings.get(cell.cell_id),
        )
        for cell in run.cells
    ]
