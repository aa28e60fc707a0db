"""What runs say about the two cells that a claim compares: a ratio of laps within one block, or why there is none."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from respmark.results.manifest import PlannedCell
from respmark.results.records import Status
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import CellSpec, Point
from respmark.specs.naming import one_client
from respmark.statistics.blocks import prior_of_run, rounds_between
from respmark.statistics.cells import CountedRun
from respmark.statistics.compare import Estimate, Prior, Rounds, estimate_of


@dataclass(frozen=True)
class Found:
    """Both cells took turns in a block."""

    run_id: str
    block: str
    rounds: Rounds
    estimate: Estimate | None
    """None with one round, which shows nothing about how processes differ."""
    looks: int
    """How often the run was allowed to look at its own figures."""
    versions: tuple[str, str]
    """The loaded versions of the libraries of the cell and of the one that it is compared with."""


@dataclass(frozen=True)
class Absent:
    """The cells did not take turns in a block."""

    reason: str


class ComparedRun:
    """One run, ready to be asked about pairs of cells."""

    def __init__(self, run: CountedRun) -> None:
        self.run = run
        self._priors: dict[str, Prior] = {}

    def prior(self, metric: str) -> Prior:
        """Return the prior of the run's comparisons, the same that its tables use."""
        if metric not in self._priors:
            self._priors[metric] = prior_of_run(self.run.blocks, metric)
        return self._priors[metric]

    def planned(self, side: CellSpec, clients: dict[str, ClientSpec]) -> dict[str, PlannedCell]:
        """Return the run's cells of this client, scenario and shape, with the suite's own workload, by block."""
        name = one_client(side.client, clients).name
        return self._cells.get((name, side.scenario, side.shape.model_dump_json()), {})

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], dict[str, PlannedCell]]:
        found: defaultdict[tuple[str, str, str], dict[str, PlannedCell]] = defaultdict(dict)
        for cell in self.run.manifest.cells:
            if cell.workload is None:
                found[cell.client.name, cell.scenario, cell.shape.model_dump_json()][cell.block] = cell
        return found

    def pairs(self, point: Point, clients: dict[str, ClientSpec]) -> Iterator[Found]:
        """Yield the point's ratio in every block that has both cells."""
        both = self.planned(point.cell, clients), self.planned(point.against, clients)
        for block, found in self.run.blocks.items():
            one, other = (found.get(cells[block].cell_id) if block in cells else None for cells in both)
            if one and other and (rounds := rounds_between(one, other, point.metric)):
                yield Found(
                    self.run.manifest.run_id,
                    block,
                    rounds,
                    estimate_of(rounds, self.prior(point.metric)),
                    self.run.manifest.looks,
                    (one.library_version, other.library_version),
                )


def evidence_for(point: Point, runs: Iterable[ComparedRun], clients: dict[str, ClientSpec]) -> Found | Absent:
    """Return the ratio from the block with the most rounds, or from the first if there are several.

    The choice must not depend on the figures: picking the block that says what one wants to hear shows nothing.
    """
    runs = list(runs)
    found = [one for run in runs for one in run.pairs(point, clients)]
    if not found:
        return Absent(_why_absent(point, runs, clients))
    return max(found, key=lambda one: len(one.rounds))


def _why_absent(point: Point, runs: list[ComparedRun], clients: dict[str, ClientSpec]) -> str:
    planned = [
        (side, [(run, cell) for run in runs for cell in run.planned(side, clients).values()])
        for side in (point.cell, point.against)
    ]
    for side, cells in planned:
        if not cells:
            return f"no run has {side.label}"
    for side, cells in planned:
        if all(not _counts(run, cell) for run, cell in cells):
            return f"{side.label}: {_why_not_counted(cells)}"
    return "both were measured, but not in turns in one block: figures of different blocks are not compared"


def _counts(run: ComparedRun, cell: PlannedCell) -> bool:
    return any(cell.cell_id in cells for cells in run.run.blocks.values())


def _why_not_counted(cells: list[tuple[ComparedRun, PlannedCell]]) -> str:
    for run, cell in cells:
        for found in run.run.cells:
            if found.cell_id == cell.cell_id and found.status not in {Status.OK, Status.NOT_MEASURED}:
                return f"{found.status}: {found.reason}"
    return "the run ended before"
