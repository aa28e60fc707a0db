"""The answer in sentences: which client is fastest, which needs the least CPU, and where no difference is shown."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from respmark import numbers
from respmark.report.html.view import Column, MatrixCell, Row, View
from respmark.statistics.blocks import ShownRatio
from respmark.statistics.measured import COMPARED
from respmark.statistics.pairs import Pairs
from respmark.statistics.ranking import ranking_of


@dataclass(frozen=True)
class RowLeader:
    """The client that leads by one metric, among those that took turns in a row."""

    leader: MatrixCell
    level: tuple[MatrixCell, ...]
    """Other clients that none is shown to surpass."""
    next: MatrixCell | None
    """The best of those that are shown to differ."""
    ratio: ShownRatio | None
    """Ratio of `next` to the leader."""
    is_known: bool
    """False if nothing was compared, for example because there is only one round."""


@dataclass(frozen=True)
class RowAnswer:
    """The answer for the clients that took turns in a row."""

    row: Row
    places: tuple[MatrixCell, ...]
    """Those that have figures."""
    fastest: RowLeader
    cheapest: RowLeader


@dataclass(frozen=True)
class LeadCount:
    """How often a client leads, or is not shown to differ from the leader."""

    column: Column
    first: int
    of: int
    """Rows in which it was measured."""


def answers(view: View) -> list[RowAnswer]:
    """Return the answers of every row that has figures: one for each block whose clients took turns."""
    return [
        RowAnswer(row, places, _leader(pairs, places, "rps"), _leader(pairs, places, "client_cpu"))
        for row in view.rows
        for pairs, places in _compared(row)
    ]


def _compared(row: Row) -> Iterator[tuple[Pairs, tuple[MatrixCell, ...]]]:
    """Yield the blocks of a row that have figures; what was measured outside any block is one without ratios."""
    left = {place.cell.cell_id: place for place in row.measured}
    for pairs in row.pairs:
        if places := tuple(left.pop(cell_id) for cell_id in pairs.cells if cell_id in left):
            yield pairs, places
    if left:
        yield Pairs(tuple(left), {metric: {} for metric in COMPARED}), tuple(left.values())


def lead_counts(found: Iterable[RowAnswer], standing: Callable[[RowAnswer], RowLeader]) -> list[LeadCount]:
    """Return how often each client leads or is level with the leader, the most frequent first."""
    found = [one for one in found if standing(one).is_known]
    first: Counter[int] = Counter()
    taken: Counter[int] = Counter()
    columns: dict[int, Column] = {}
    for one in found:
        first.update(place.column.number for place in (standing(one).leader, *standing(one).level))
        taken.update(place.column.number for place in one.places)
        columns |= {place.column.number: place.column for place in one.places}
    counts = [LeadCount(column, first[number], taken[number]) for number, column in columns.items()]
    return sorted(counts, key=lambda count: (-count.first, count.of))


def interval(ratio: ShownRatio | None) -> str:
    """Return a ratio with its interval as text: `0.74 times (0.70 to 0.78)`."""
    if ratio is None:
        return ""
    known = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.2f} to {ratio.high:.2f})"
    return f"{ratio.value:.2f} times{known}"


def figure(place: MatrixCell, metric: str) -> str:
    """Return a place's figure of a metric as text."""
    return numbers.rps(place.rps) if metric == "rps" else numbers.microseconds(place.client_cpu)


def _leader(pairs: Pairs, places: Sequence[MatrixCell], metric: str) -> RowLeader:
    """Return the leader: of the clients that no other is shown to surpass, the one with the best estimate."""
    here = {place.cell.cell_id: place for place in places}
    ranking = ranking_of(pairs, metric)
    leader, *level = [cell_id for cell_id in ranking.best if cell_id in here] or [_best_figure(places, metric)]
    order = [cell_id for cell_id in ranking.order if cell_id in here and cell_id != leader]
    ratios = {cell_id: ratio for cell_id in order if (ratio := pairs.ratio(metric, cell_id, leader))}
    known = {cell_id: ratio for cell_id, ratio in ratios.items() if ratio.low is not None}
    follower = next((cell_id for cell_id, ratio in known.items() if ratio.shown), None)
    return RowLeader(
        here[leader],
        tuple(here[cell_id] for cell_id in level if cell_id in known),
        None if follower is None else here[follower],
        None if follower is None else known[follower],
        is_known=bool(known),
    )


def _best_figure(places: Sequence[MatrixCell], metric: str) -> str:
    best = max(places, key=lambda place: place.rps if metric == "rps" else -place.client_cpu)
    return best.cell.cell_id
