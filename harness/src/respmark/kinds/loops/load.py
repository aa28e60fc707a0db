"""The highest rates that keep to a goal, and latency below them, as tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from respmark import numbers
from respmark.contract.rate import goal_of
from respmark.figures.metric import known_median
from respmark.kinds.loops.highest import Highest
from respmark.kinds.loops.record import Aim, SearchEnd
from respmark.report.columns import ratio_text
from respmark.report.labels import joined, plural
from respmark.report.table import Chapter, Column, Table, TableCell, subject, table, without_empty_columns

TITLE: Final = "the highest rates"
SUMMARY: Final = (
    "the highest rate, in commands per second, at which each client keeps to the goal, and its latency below that rate"
)
SHARES: Final = (Aim.HALF, Aim.SEVENTY, Aim.NINETY)
"""Of a client's own highest rate."""
NOTE: Final = (
    "latency is from due to done, lag from due to begun, both the median over slices; 50, 70 and 90 % refer to each "
    "client's own highest rate, the common rate is 70 % of the lowest of these; ratios are as in other tables "
    "(docs/load.md)"
)
ENDS: Final = {
    SearchEnd.NONE_HELD: "no rate kept to the goal",
    SearchEnd.LAPS: "the search ended after as many laps as it may take; the rates may be further apart",
    SearchEnd.CUT_SHORT: "the search was interrupted",
}
"""What is said of searches that did not end with a rate that passed and one that failed close to each other."""
P99: Final = 99.0
TOO_HIGH: Final = (
    "{subject}: the rate that was found is too high: even at {aim} of it, p99 is {p99} ms and misses the goal; a "
    "search looks at few slices of each rate"
)


def load_chapters(found: Sequence[Highest]) -> list[Chapter]:
    """Return the chapter of the highest rates, a table for each use; none if none were looked for."""
    by_use: dict[tuple[str, str], list[Highest]] = {}
    for one in found:
        by_use.setdefault((one.trial.block, one.trial.workload), []).append(one)
    if not by_use:
        return []
    shown = without_empty_columns([_table(of_use) for of_use in by_use.values()])
    return [Chapter(TITLE, (SUMMARY,), shown, (NOTE,))]


def _table(of_use: Sequence[Highest]) -> Table:
    trial = of_use[0].trial
    common = known_median([one.common_rate for one in of_use])
    rate = f"common rate {numbers.rps(common)}" if common is not None else ""
    title = joined(str(trial.scenario), trial.shape.label, rate)
    return table(title, of_use, COLUMNS, (note for one in of_use for note in _notes(one)))


def _notes(one: Highest) -> Iterator[str]:
    """Yield why searches ended that did not find a rate, and what shows that a rate is too high."""
    for end, why in ENDS.items():
        if count := one.ended.count(end):
            yield f"{one.subject}: {why} in {count} of {plural(len(one.ended), 'round')}"
    goal = goal_of(one.trial.shape.rate or "")
    for aim in SHARES:
        p99_ms = one.points[aim].p99_ms
        if goal is not None and goal.percentile == P99 and p99_ms is not None and p99_ms * 1e6 > goal.limit_ns:
            yield TOO_HIGH.format(subject=one.subject, aim=aim, p99=numbers.milliseconds(p99_ms))


def _span(one: Highest) -> str:
    failed = f"..{numbers.rps(max(one.failed))}" if one.failed else " and more"
    return f"{numbers.rps(min(one.held))}{failed}"


def _both(p50_ms: float | None, p99_ms: float | None) -> str:
    return "" if p50_ms is None else f"{numbers.milliseconds(p50_ms)}/{numbers.milliseconds(p99_ms) or '-'}"


def _lag(one: Highest) -> str:
    return _both(one.points[Aim.SEVENTY].lag_p50_ms, one.points[Aim.SEVENTY].lag_p99_ms)


def _latency(aim: Aim, one: Highest) -> str:
    return _both(one.points[aim].p50_ms, one.points[aim].p99_ms)


COLUMNS: Final[tuple[Column[Highest], ...]] = (
    subject(lambda one: TableCell(one.subject, "client")),
    Column("highest\ncommands/s", lambda one: numbers.rps(highest) if (highest := known_median(one.held)) else "none"),
    Column("passed..failed\nover rounds", _span),
    Column("p50/p99 ms at\nthe common rate", partial(_latency, Aim.COMMON)),
    Column("p99 ratio\nat that", lambda one: ratio_text(one.p99_ratio), is_extra=True),
    *(Column(f"p50/p99 ms\nat {aim}", partial(_latency, aim), is_extra=True) for aim in SHARES),
    Column("lag p50/p99\nms at 70 %", _lag, is_extra=True),
    Column(
        "client CPU %\nat 70 %",
        lambda one: f"{one.measured.client_cpu_percent:.0f}" if one.measured else "",
        is_extra=True,
    ),
)
