"""The metrics of faults: what the rounds of a client under a fault say together."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal

import polars as pl
from polars import col

from respmark.figures.metric import HIGHEST, MEDIAN, Compared, metric
from respmark.figures.metric import Figures as CellFigures
from respmark.kinds.faults.record import FaultRecord, Figures, Wait
from respmark.results.manifest import CellDescription
from respmark.results.read import ReadRun
from respmark.results.records import Status
from respmark.specs.faults import FAILOVERS, lasts_s, shape_of

HOLDS_TIMES: Final = 1.1
HOLDS_MORE_S: Final = 0.05
"""A limit holds if no wait is longer than so many times the limit, and so much more."""
SCATTERS_TIMES: Final = 1.5
SCATTERS_MORE_S: Final = 0.3
"""Waits of rounds scatter if the longest is longer than so many times the shortest, and so much more."""
ROUNDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("trial_id", "cell_id"), pl.String),
    **dict.fromkeys(("round", "lost"), pl.Int64),
    "longest_s": pl.Float64,
}
Bound = float | Literal["none", "missing"] | None
"""A limit in seconds; `none`: nothing bounds the wait; `missing`: the library has no such option; None: not known."""


@dataclass(frozen=True)
class FaultCell:
    """One client under one fault: all rounds together."""

    described: CellDescription
    records: Sequence[FaultRecord]

    @property
    def rounds(self) -> list[FaultRecord]:
        """Return the rounds that count."""
        return [one for one in self.records if one.status is Status.OK and one.figures is not None]

    @property
    def status(self) -> Status:
        """Return `ok` if one round counts."""
        if self.rounds:
            return Status.OK
        return next((one.status for one in self.records), Status.NOT_MEASURED)

    @property
    def limit(self) -> Bound:
        """Return what bounds the wait for a command by the library's options: where it must connect, for both."""
        limits = next((one.limits for one in self.records if one.limits is not None), None)
        if limits is None:
            return None
        parts = [limits.command, *([limits.connect] if shape_of(self.described.shape).hits_connecting else [])]
        words = [one for one in parts if isinstance(one, str)]
        return words[0] if words else sum(one for one in parts if not isinstance(one, str))

    @property
    def holding(self) -> int | None:
        """Return in how many rounds the limit held; None: there is none, or it is not known."""
        limit = self.limit
        if not isinstance(limit, float):
            return None
        longest = self.waits(lambda figures: figures.longest_wait)
        return sum(one.is_over and one.s <= HOLDS_TIMES * limit + HOLDS_MORE_S for one in longest)

    @property
    def scatters(self) -> bool:
        """Return whether its rounds do not agree: on whether the limit holds, or on how long the longest wait is."""
        longest = [one.s for one in self.waits(lambda figures: figures.longest_wait)]
        if not longest:
            return False
        low, high = min(longest), max(longest)
        return self.holding not in {None, 0, len(longest)} or high > SCATTERS_TIMES * low + SCATTERS_MORE_S

    def waits(self, of: Callable[[Figures], Wait | None]) -> list[Wait]:
        """Return a wait of each round that has it, the shortest first; one that was not over counts as it stood."""
        found = [of(one.figures) for one in self.rounds if one.figures is not None]
        return sorted(filter(None, found), key=lambda one: (one.s, not one.is_over))

    def count(self, of: Callable[[FaultRecord], float | None]) -> float | None:
        """Return the median of a count over the rounds; None: no round has it."""
        found = [one for one in map(of, self.rounds) if one is not None]
        return float(median(found)) if found else None

    def most(self, of: Callable[[Figures], int | None]) -> int | None:
        """Return the highest count of a round; None: no round has it."""
        found = (of(one.figures) for one in self.rounds if one.figures is not None)
        return max((one for one in found if one is not None), default=None)


def middle(waits: Sequence[Wait]) -> Wait:
    """Return the median of sorted waits, of two in the middle the longer one."""
    return waits[len(waits) // 2]


def written_wait(waits: Sequence[Wait]) -> str | float:
    """Return the median of sorted waits in seconds as data has it: `> 75` where it was not over."""
    wait = middle(waits)
    return round(wait.s, 6) if wait.is_over else f"> {wait.s:.3f}".rstrip("0").rstrip(".")


def promoted_of(record: FaultRecord) -> float | None:
    """Return how long it took, in seconds, until a replica had taken its primary's place; None: none was to."""
    return record.lasts_s if record.shape.fault in FAILOVERS else None


def errors_of(record: FaultRecord) -> int | None:
    """Return how many commands failed in the fault and after it."""
    return None if record.figures is None else sum(one.during + one.after for one in record.figures.errors)


def elsewhere_wait_of(figures: Figures) -> Wait | None:
    """Return the longest wait of callers whose keys were not the replaced primary's; None: none was replaced."""
    return None if figures.elsewhere is None else figures.elsewhere.longest_wait


def elsewhere_errors_of(record: FaultRecord) -> int | None:
    """Return how many of these callers' commands failed in the fault and after it; None: no primary was replaced."""
    elsewhere = None if record.figures is None else record.figures.elsewhere
    return None if elsewhere is None else elsewhere.errors


def opened_of(record: FaultRecord) -> int | None:
    """Return how many connections were opened from the begin of the fault on."""
    return None if record.connections is None else record.connections.opened


def busiest_of(record: FaultRecord) -> int | None:
    """Return how many of those were opened in the busiest 100 ms."""
    return None if record.connections is None else record.connections.busiest


def left_of(record: FaultRecord) -> int | None:
    """Return how many more connections were open in the end than before the fault."""
    return None if record.connections is None else record.connections.left


def cells_of(run: ReadRun) -> list[FaultCell]:
    """Return the cells of a run's faults, in the suite's order."""
    found: dict[str, list[FaultRecord]] = defaultdict(list)
    for record in run.trials:
        if isinstance(record, FaultRecord):
            found[record.cell_id].append(record)
    return [FaultCell(cell, found[cell.cell_id]) for cell in run.manifest.cells]


def rounds_of(run: ReadRun) -> pl.DataFrame:
    """Return a row for each trial that counts, with its longest wait; one that was not over counts as it stood."""
    found = [one for cell in cells_of(run) for one in cell.rounds]
    longest = ((one, one.figures.longest_wait.s) for one in found if one.figures is not None)
    rows = [(one.trial_id, one.cell_id, one.round, 0, longest_s) for one, longest_s in longest]
    return pl.DataFrame(rows, schema=ROUNDS, orient="row")


class FaultFigures(CellFigures):
    """The figures of a client under a fault: waits, errors and connections of the median round, the rest of the worst.

    A wait that was not over when the callers ended is written `> 75`.
    """

    longest_s: float = metric(
        "s",
        col("longest_s"),
        MEDIAN,
        in_csv=False,
        compared=Compared("longest_wait", "longest wait", in_series=True, noun="longest wait"),
    )
    """The longest wait in seconds; one that was not over counts as what it had come to."""
    fault: str = metric("", None, MEDIAN)
    fault_s: float = metric("s", None, MEDIAN)
    """How long it lasted, or was watched; 0: it was over at once."""
    limit_s: float | str | None = metric("s", None, MEDIAN)
    """What bounds the wait for a command by the library's options, where it must connect for both; `none`: nothing,
    `missing`: the library has no such option; null: that is not known."""
    longest_wait_s: float | str = metric("s", None, MEDIAN)
    """Of the commands that were under way or due while the fault lasted, from call to result or error."""
    perceived_wait_s: float | str = metric("s", None, MEDIAN)
    """The same, from when each was due."""
    first_success_s: float | str = metric("s", None, MEDIAN)
    """From the end of the fault, or its begin if it has none, to the first success of any caller."""
    recovered_s: float | str = metric("s", None, MEDIAN)
    """The same, until a second in which 99 % of what was due succeeded in time."""
    errors: float = metric("", None, MEDIAN)
    """Commands that failed in the fault and after it."""
    lost: int = metric("", None, HIGHEST)
    """Writes that were acknowledged, and are not there in the end."""
    doubled: int = metric("", None, HIGHEST)
    """Writes that were executed more often than sent, at the least."""
    wrong: int = metric("", None, HIGHEST)
    """Replies with another value than the key's."""
    late: int = metric("", None, HIGHEST)
    """Writes that were executed after their caller had been told that they failed."""
    connections_opened: float | None = metric("", None, MEDIAN)
    """From the begin of the fault on."""
    connections_left: float | None = metric("", None, MEDIAN)
    """Open in the end beyond those that were open before the fault."""
    promoted_s: float | None = metric("s", None, MEDIAN)
    """Until a replica had taken its primary's place, and every node that was left told clients so and took commands:
    the servers' own share, after which `first_success_s` begins. Null: no primary was to be replaced."""
    outage_s: float | str | None = metric("s", None, MEDIAN)
    """The longest time in which no caller of the replaced primary's keys had a reply."""
    elsewhere_longest_wait_s: float | str | None = metric("s", None, MEDIAN)
    """`longest_wait_s` of callers whose keys were those of other primaries."""
    elsewhere_errors: float | None = metric("", None, MEDIAN)
    """Of these callers, commands that failed in the fault and after it."""
    lost_by_server: int | None = metric("", None, HIGHEST)
    """So many of `lost` had not come to the replica that took over."""


def opened_per_second_of(record: FaultRecord) -> float | None:
    """Return how many connections were opened a second while the fault lasted; None: it was over at once."""
    counts = record.connections
    return None if counts is None or not record.lasts_s else counts.during / record.lasts_s


def reconnects_of(record: FaultRecord) -> float | None:
    """Return the same for each connection that was open before the fault."""
    opened, counts = opened_per_second_of(record), record.connections
    return None if opened is None or counts is None or not counts.before else opened / counts.before


def _seen(of: Callable[[Figures], float | None]) -> Callable[[FaultRecord], float | None]:
    return lambda record: None if record.figures is None else of(record.figures)


def _as_named(of: Callable[[FaultRecord], float | None]) -> Callable[[FaultRecord], float | None]:
    """Return nothing of a fault that another took the place of: a claim is about the one that it names."""
    return lambda record: None if record.made_as is not None else of(record)


_OF_ROUND: Final[dict[str, Callable[[FaultRecord], float | None]]] = {
    "longest_wait": _seen(lambda figures: figures.longest_wait.s),
    "perceived_wait": _seen(lambda figures: figures.perceived_wait.s),
    "first_success": _seen(lambda figures: figures.first_success.s),
    "recovered": _seen(lambda figures: figures.recovered.s),
    "errors": errors_of,
    "failed_afresh": _seen(lambda figures: figures.failed_afresh),
    "lost": _seen(lambda figures: figures.writes.lost),
    "doubled": _seen(lambda figures: figures.writes.doubled),
    "wrong": _seen(lambda figures: figures.wrong),
    "late": _seen(lambda figures: figures.writes.late),
    "connections_left": left_of,
    "reconnects": reconnects_of,
    "cpu": lambda record: record.client_cpu_percent,
}
BOUNDED: Final = {metric: _as_named(of) for metric, of in _OF_ROUND.items()}
"""What a round says of the figures on which claims set bounds; an endless wait counts as what it had come to."""


def figures_of(cell: FaultCell) -> FaultFigures:
    """Return the figures of a cell that has rounds which count."""
    shape, promoted = cell.described.shape, cell.count(promoted_of)
    return FaultFigures(
        longest_s=median(one.s for one in cell.waits(lambda figures: figures.longest_wait)),
        fault=str(shape.fault),
        fault_s=lasts_s(shape) if promoted is None else promoted,
        limit_s=cell.limit,
        longest_wait_s=written_wait(cell.waits(lambda figures: figures.longest_wait)),
        perceived_wait_s=written_wait(cell.waits(lambda figures: figures.perceived_wait)),
        first_success_s=written_wait(cell.waits(lambda figures: figures.first_success)),
        recovered_s=written_wait(cell.waits(lambda figures: figures.recovered)),
        errors=float(cell.count(errors_of) or 0),
        lost=cell.most(lambda figures: figures.writes.lost) or 0,
        doubled=cell.most(lambda figures: figures.writes.doubled) or 0,
        wrong=cell.most(lambda figures: figures.wrong) or 0,
        late=cell.most(lambda figures: figures.writes.late) or 0,
        connections_opened=cell.count(opened_of),
        connections_left=cell.count(left_of),
        promoted_s=promoted,
        outage_s=_written(cell.waits(lambda figures: figures.outage)),
        elsewhere_longest_wait_s=_written(cell.waits(elsewhere_wait_of)),
        elsewhere_errors=cell.count(elsewhere_errors_of),
        lost_by_server=cell.most(lambda figures: figures.writes.lost_by_server),
    )


def _written(waits: Sequence[Wait]) -> str | float | None:
    return written_wait(waits) if waits else None
