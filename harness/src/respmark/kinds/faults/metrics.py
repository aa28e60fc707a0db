"""The figures of a cell under a fault: those of its rounds together, and as rows of CSV and JSON."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from respmark.contract.trial import Scenario
from respmark.kinds.faults.record import FaultRecord, Figures, Wait
from respmark.results.manifest import CellDescription, Manifest
from respmark.results.records import Status
from respmark.specs.faults import lasts_s, shape_of

HOLDS_TIMES: Final = 1.1
HOLDS_MORE_S: Final = 0.05
"""A limit holds if no wait is longer than so many times the limit, and so much more."""
SCATTERS_TIMES: Final = 1.5
SCATTERS_MORE_S: Final = 0.3
"""Waits of rounds scatter if the longest is longer than so many times the shortest, and so much more."""
COLUMNS: Final = (
    *("fault", "fault_s", "limit_s", "longest_wait_s", "perceived_wait_s", "first_success_s", "recovered_s"),
    *("errors", "lost", "doubled", "wrong", "late", "connections_opened", "connections_left"),
)
"""Of CSV and JSON, besides those that say what a row is of."""
Bound = float | Literal["none", "missing"] | None
"""A limit in seconds; `none`: nothing bounds the wait; `missing`: the library has no such option; None: not known."""


@dataclass(frozen=True)
class FaultCell:
    """One client under one fault: all rounds together."""

    run_id: str
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
    def reason(self) -> str | None:
        """Return why rounds do not count."""
        return next((one.reason for one in self.records if one.status is not Status.OK), None)

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

    def waits(self, of: Callable[[Figures], Wait]) -> list[Wait]:
        """Return a wait of each round, the shortest first; one that was not over counts as what it had come to."""
        found = [of(one.figures) for one in self.rounds if one.figures is not None]
        return sorted(found, key=lambda one: (one.s, not one.is_over))

    def count(self, of: Callable[[FaultRecord], int | None]) -> float | None:
        """Return the median of a count over the rounds; None: no round has it."""
        found = [one for one in map(of, self.rounds) if one is not None]
        return median(found) if found else None

    def most(self, of: Callable[[Figures], int]) -> int | None:
        """Return the highest count of a round; None: there is no round."""
        return max((of(one.figures) for one in self.rounds if one.figures is not None), default=None)


def middle(waits: Sequence[Wait]) -> Wait | None:
    """Return the median of sorted waits, of two in the middle the longer one; None: there is none."""
    return waits[len(waits) // 2] if waits else None


def written_wait(wait: Wait | None) -> str | float | None:
    """Return a wait in seconds as data has it: `> 75` where it was not over."""
    if wait is None:
        return None
    return round(wait.s, 6) if wait.is_over else f"> {wait.s:.3f}".rstrip("0").rstrip(".")


def errors_of(record: FaultRecord) -> int | None:
    """Return how many commands failed in the fault and after it."""
    return None if record.figures is None else sum(one.during + one.after for one in record.figures.errors)


def opened_of(record: FaultRecord) -> int | None:
    """Return how many connections were opened from the begin of the fault on."""
    return None if record.connections is None else record.connections.opened


def left_of(record: FaultRecord) -> int | None:
    """Return how many more connections were open in the end than before the fault."""
    return None if record.connections is None else record.connections.left


def cells_of(manifest: Manifest, records: Iterable[FaultRecord]) -> list[FaultCell]:
    """Return the cells of a run's faults, in the suite's order."""
    found: dict[str, list[FaultRecord]] = defaultdict(list)
    for record in records:
        found[record.cell_id].append(record)
    described = [cell for cell in manifest.cells if cell.scenario is Scenario.FAULTS]
    return [FaultCell(manifest.run_id, cell, found[cell.cell_id]) for cell in described]


def row_of(cell: FaultCell) -> Mapping[str, object]:
    """Return a cell as a row of CSV or JSON.

    It has waits, errors and connections of the median round; lost, doubled, wrong and late of the worst.
    """
    described, last = cell.described, next(iter(cell.records), None)
    shape = described.shape
    return {
        "run_id": cell.run_id,
        "scenario": str(described.scenario),
        "client": described.client.name,
        "library": described.client.library,
        "library_version": last and last.versions.get(described.client.library),
        "language": described.language,
        "threads": shape.threads,
        "processes": shape.processes,
        "rate": shape.rate,
        "workload": described.workload,
        "server": described.server,
        "rounds": len(cell.rounds),
        "status": str(cell.status),
        "reason": cell.reason,
        "fault": str(shape.fault),
        "fault_s": lasts_s(shape),
        "limit_s": cell.limit,
        "longest_wait_s": written_wait(middle(cell.waits(lambda figures: figures.longest_wait))),
        "perceived_wait_s": written_wait(middle(cell.waits(lambda figures: figures.perceived_wait))),
        "first_success_s": written_wait(middle(cell.waits(lambda figures: figures.first_success))),
        "recovered_s": written_wait(middle(cell.waits(lambda figures: figures.recovered))),
        "errors": cell.count(errors_of),
        "lost": cell.most(lambda figures: figures.writes.lost),
        "doubled": cell.most(lambda figures: figures.writes.doubled),
        "wrong": cell.most(lambda figures: figures.wrong),
        "late": cell.most(lambda figures: figures.writes.late),
        "connections_opened": cell.count(opened_of),
        "connections_left": cell.count(left_of),
    }
