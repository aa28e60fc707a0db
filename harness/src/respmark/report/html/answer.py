"""The answer in sentences: which client is fastest, which needs the least CPU, and where no difference is shown."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from respmark import numbers
from respmark.report.html.view import Column, MatrixCell, Row, View
from respmark.statistics.blocks import ShownRatio


@dataclass(frozen=True)
class RowLeader:
    """The client that leads a row by one metric."""

    leader: MatrixCell
    level: tuple[MatrixCell, ...]
    """Clients from which no difference is shown."""
    next: MatrixCell | None
    """The best of those that are shown to differ."""
    ratio: ShownRatio | None
    """Ratio of `next` to the leader."""
    is_known: bool
    """False if nothing was compared, for example because there is only one round."""


@dataclass(frozen=True)
class RowAnswer:
    """The answer of one row."""

    row: Row
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
    """Return the answer of every row that has figures."""
    return [RowAnswer(row, fastest(row), cheapest(row)) for row in view.rows if row.measured]


def fastest(row: Row) -> RowLeader:
    """Return the leader by throughput: the client that has the most."""
    return _standing(row, "rps", lambda place: -place.rps)


def cheapest(row: Row) -> RowLeader:
    """Return the leader by client CPU per command: the client that needs the least."""
    return _standing(row, "client_cpu", lambda place: place.client_cpu)


def lead_counts(found: Iterable[RowAnswer], standing: Callable[[RowAnswer], RowLeader]) -> list[LeadCount]:
    """Return how often each client leads or is level with the leader, the most frequent first."""
    found = [one for one in found if standing(one).is_known]
    first: Counter[int] = Counter()
    taken: Counter[int] = Counter()
    columns: dict[int, Column] = {}
    for one in found:
        first.update(place.column.number for place in (standing(one).leader, *standing(one).level))
        taken.update(place.column.number for place in one.row.measured)
        columns |= {place.column.number: place.column for place in one.row.measured}
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


def _standing(row: Row, metric: str, key: Callable[[MatrixCell], float]) -> RowLeader:
    """Return the leader: of the clients that no other is shown to surpass, the one with the best figure."""
    by_figure = sorted(row.measured, key=key)
    # If laps are missing, pairs are of different laps, and claims may contradict each other in a circle.
    best = [place for place in by_figure if not _is_surpassed(row, metric, place)] or by_figure
    leader = best[0]
    compared = [(place, ratio) for place, ratio in _ratios(row, metric, leader) if ratio.low is not None]
    level = tuple(place for place, _ in compared if place in best)
    behind = [one for one in compared if one[1].shown]
    follower, ratio = min(behind, key=lambda one: _rank(metric, one[1])) if behind else (None, None)
    return RowLeader(leader, level, follower, ratio, is_known=bool(compared))


def _is_surpassed(row: Row, metric: str, place: MatrixCell) -> bool:
    """Return whether another client is shown to be better."""
    return any(ratio.shown and (ratio.value > 1) == (metric == "rps") for _, ratio in _ratios(row, metric, place))


def _rank(metric: str, ratio: ShownRatio) -> float:
    return -ratio.value if metric == "rps" else ratio.value


def _ratios(row: Row, metric: str, to: MatrixCell) -> Iterator[tuple[MatrixCell, ShownRatio]]:
    for place in row.measured:
        if place is not to and (ratio := row.ratio(metric, place, to)) is not None:
            yield place, ratio
